// The text of a failed check that names an element.

#include "runtime/abi.h"
#include "runtime/digits.h"
#include "runtime/libc.h"

static const char *kind_of(const char *at) {
  uint32_t bits;
  memcpy(&bits, at, sizeof bits);
  if (~bits & 0x7f800000)
    return "finite";
  if (bits & 0x007fffff)
    return "NaN";
  return bits >> 31 ? "-infinity" : "infinity";
}

weir_status weir_fail_at(weir_context *context, uint64_t check) {
  const weir_model *model = context->model;
  const uint64_t *places = &model->elements[2 * check];
  const char *arena = context->arena;
  int64_t index;
  memcpy(&index, arena + places[0] - 1, sizeof index);
  char number[WEIR_DIGITS];
  const char *digits = weir_digits(index, number);
  if (!places[1])
    return WEIR_FAIL(context, WEIR_ERR_CHECK, model->checks[check], " ",
                     digits);
  return WEIR_FAIL(context, WEIR_ERR_CHECK, model->checks[check], ": element ",
                   digits, " is ", kind_of(arena + places[1] - 1));
}
