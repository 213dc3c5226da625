// Whether the sizes that a caller gives of inputs are in the ranges that the
// model was compiled for. Kernels check them too, but with constant texts.

#include "runtime/abi.h"
#include "runtime/digits.h"

static weir_status refuse(weir_context *context, const weir_tensor_info *input,
                          int32_t dim, int64_t size) {
  char number[WEIR_DIGITS], seen[WEIR_DIGITS], least[WEIR_DIGITS],
      most[WEIR_DIGITS];
  const char *name = input->dims[dim];
  int64_t low = input->least[dim], high = input->shape[dim];
  int is_range = low != high;
  return WEIR_FAIL(
      context, WEIR_ERR_CHECK, "input '", input->name, "': dimension ",
      weir_digits(dim, number), *name ? " ('" : "", name, *name ? "')" : "",
      " is ", weir_digits(size, seen), is_range ? ", not in [" : ", not ",
      is_range ? weir_digits(low, least) : "", is_range ? ", " : "",
      weir_digits(high, most), is_range ? "]" : "");
}

static int same_text(const char *a, const char *b) {
  for (; *a && *a == *b; ++a, ++b)
    ;
  return *a == *b;
}

// Where an input before number `i` has a dimension of the same name and the
// same room: dimension `dim` must have its size.
static weir_status check_named(weir_context *context,
                               const weir_function_info *function,
                               void *const *tensors, uint32_t i, int32_t dim) {
  const weir_tensor_info *input = &function->inputs[i];
  const char *name = input->dims[dim];
  int64_t size = ((const int64_t *)tensors[input->shape_tensor])[dim];
  for (uint32_t k = 0; *name && k <= i; ++k) {
    const weir_tensor_info *other = &function->inputs[k];
    if (other->shape_tensor < 0)
      continue;
    const int64_t *sizes = tensors[other->shape_tensor];
    for (int32_t d = 0; d < (k < i ? other->rank : dim); ++d) {
      if (!same_text(other->dims[d], name) ||
          other->shape[d] != input->shape[dim])
        continue;
      if (sizes[d] == size)
        return WEIR_OK;
      char number[WEIR_DIGITS], one[WEIR_DIGITS], two[WEIR_DIGITS];
      return WEIR_FAIL(context, WEIR_ERR_CHECK, "input '", input->name,
                       "': dimension ", weir_digits(dim, number), " ('", name,
                       "') is ", weir_digits(size, one), ", but ",
                       weir_digits(sizes[d], two), " in input '", other->name,
                       "'");
    }
  }
  return WEIR_OK;
}

weir_status weir_check_sizes(weir_context *context, uint32_t which,
                             void *const *tensors) {
  const weir_function_info *function = &context->model->info->functions[which];
  for (uint32_t i = 0; i < function->num_inputs; ++i) {
    const weir_tensor_info *input = &function->inputs[i];
    if (input->shape_tensor < 0)
      continue;
    const int64_t *sizes = tensors[input->shape_tensor];
    for (int32_t d = 0; d < input->rank; ++d) {
      if (sizes[d] < input->least[d] || sizes[d] > input->shape[d])
        return refuse(context, input, d, sizes[d]);
      weir_status status = check_named(context, function, tensors, i, d);
      if (status)
        return status;
    }
  }
  return WEIR_OK;
}
