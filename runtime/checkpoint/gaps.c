// Names what a checkpoint lacks of a variable.

#include "runtime/checkpoint/restore.h"
#include "runtime/digits.h"
#include "runtime/libc.h"

enum { TEXT_BYTES = 128 };

// Appends to a text, of which the end is left out where it has no room.
static void add_text(char text[TEXT_BYTES], const char *more) {
  size_t at = 0;
  while (text[at])
    ++at;
  for (; at + 1 < TEXT_BYTES && *more; ++more)
    text[at++] = *more;
  text[at] = 0;
}

static void add_number(char text[TEXT_BYTES], const char *before,
                       int64_t number) {
  char digits[WEIR_DIGITS];
  add_text(text, before);
  add_text(text, weir_digits(number, digits));
}

// The slice as graphs name it: `0,3:-`.
static weir_status refuse_slice(weir_restorer *r, uint32_t variable,
                                const weir_box *box, const char *how) {
  char text[TEXT_BYTES] = "its slice '";
  for (int32_t i = 0; i < box->rank; ++i) {
    add_text(text, i ? ":" : "");
    if (box->lengths[i] < 0) {
      add_text(text, "-");
      continue;
    }
    add_number(text, "", box->starts[i]);
    add_number(text, ",", box->lengths[i]);
  }
  add_text(text, "' ");
  add_text(text, how);
  return weir_refuse(r, variable, text);
}

// Reads a slice of the list: a message of extents, each of a start and a
// length; without a length it is the whole dimension.
static int take_listed(weir_span from, weir_box *box) {
  uint64_t field, value;
  weir_span extent, bytes;
  box->rank = 0;
  while (from.at < from.end) {
    if (!weir_take_field(&from, &field, &value, &extent))
      return 0;
    if (field != 1)
      continue;
    if (box->rank >= WEIR_RANK_MOST)
      return 0;
    int64_t start = 0, length = -1;
    while (extent.at < extent.end) {
      if (!weir_take_field(&extent, &field, &value, &bytes))
        return 0;
      if (field == 1)
        start = (int64_t)value;
      else if (field == 2)
        length = (int64_t)value;
    }
    box->starts[box->rank] = start;
    box->lengths[box->rank++] = length;
  }
  return 1;
}

// The slice in r->box: whether the elements are there that it has in common
// with the variable. `listed` counts the elements of all slices in the list.
static weir_status check_listed(weir_restorer *r, uint32_t index,
                                uint64_t *listed) {
  const weir_variable_info *variable = &r->info->variables[index];
  const int64_t *sizes = weir_sizes_of(r, index);
  weir_box said = r->box;
  if (!weir_fit_box(&r->box, variable->rank, sizes))
    return refuse_slice(r, index, &said, "lies outside of it");
  uint64_t count = weir_count_of(variable->rank, r->box.lengths);
  uint64_t whole = weir_count_of(variable->rank, sizes);
  // Few bytes of an index lead to no more work than the tensor has elements.
  if (count > whole - *listed)
    return weir_refuse(r, index, "its slices overlap");
  *listed += count;
  if (!weir_common_elements(&r->box, weir_starts_of(r, index),
                            variable->shape) ||
      !weir_mark_elements(&r->box, count, r->taken, variable->offset,
                          weir_starts_of(r, index), variable->shape))
    return WEIR_OK;
  return refuse_slice(r, index, &said, "is missing");
}

weir_status weir_check_list(weir_restorer *r, uint32_t index, weir_span entry) {
  uint64_t field, value, listed = 0;
  weir_span slice;
  while (!r->load && entry.at < entry.end) {
    if (!weir_take_field(&entry, &field, &value, &slice))
      return weir_refuse(r, index, "its entry is malformed");
    if (field != 7)
      continue;
    if (!take_listed(slice, &r->box))
      return weir_refuse(r, index, "its entry is malformed");
    weir_status status = check_listed(r, index, &listed);
    if (status)
      return status;
  }
  return WEIR_OK;
}

weir_status weir_refuse_gap(weir_restorer *r, uint32_t index) {
  const weir_variable_info *variable = &r->info->variables[index];
  const int64_t *starts = weir_starts_of(r, index);
  uint64_t count = (uint64_t)variable->elements, first = 0;
  while (first < count && r->taken[(variable->offset + first) / 8] >>
                                  (variable->offset + first) % 8 &
                              1)
    ++first;
  // All bits are set where the files change while they are read.
  if (first == count || !variable->rank)
    return weir_refuse(r, index, "its slices do not fill it");
  int64_t at[WEIR_RANK_MOST];
  for (int32_t i = variable->rank; i-- > 0;) {
    at[i] = (int64_t)(first % (uint64_t)variable->shape[i]) +
            (starts ? starts[i] : 0);
    first /= (uint64_t)variable->shape[i];
  }
  char text[TEXT_BYTES] = "its slices do not fill it: ";
  for (int32_t i = 0; i < variable->rank; ++i)
    add_number(text, i ? "," : "element ", at[i]);
  add_text(text, " is missing");
  return weir_refuse(r, index, text);
}
