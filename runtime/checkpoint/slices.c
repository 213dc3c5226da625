// Slices of tensors as boxes of elements.

#include "runtime/checkpoint/slices.h"
#include "runtime/libc.h"

int weir_fit_box(weir_box *box, int32_t rank, const int64_t *sizes) {
  if (box->rank != rank)
    return 0;
  for (int32_t i = 0; i < rank; ++i) {
    if (box->lengths[i] == -1 && box->starts[i] == 0)
      box->lengths[i] = sizes[i];
    if (box->starts[i] < 0 || box->lengths[i] < 0 ||
        box->starts[i] > sizes[i] ||
        box->lengths[i] > sizes[i] - box->starts[i])
      return 0;
  }
  return 1;
}

// Where the box begins in the other one along a dimension.
static int64_t begin_in(const weir_box *box, const int64_t *starts, int32_t i) {
  return box->starts[i] - (starts ? starts[i] : 0);
}

uint64_t weir_common_elements(const weir_box *box, const int64_t *starts,
                              const int64_t *shape) {
  uint64_t count = 1;
  for (int32_t i = 0; i < box->rank; ++i) {
    int64_t begin = begin_in(box, starts, i), end = begin + box->lengths[i];
    begin = begin < 0 ? 0 : begin;
    end = end > shape[i] ? shape[i] : end;
    count *= end > begin ? (uint64_t)(end - begin) : 0;
  }
  return count;
}

// Where a row of the box begins in the other one, in elements; -1 where it is
// outside.
static int64_t place_of_row(const weir_box *box, uint64_t row,
                            const int64_t *starts, const int64_t *shape) {
  int64_t place = 0, step = shape[box->rank - 1];
  for (int32_t i = box->rank - 1; i-- > 0;) {
    int64_t at =
        (int64_t)(row % (uint64_t)box->lengths[i]) + begin_in(box, starts, i);
    row /= (uint64_t)box->lengths[i];
    if (at < 0 || at >= shape[i])
      return -1;
    place += at * step;
    step *= shape[i];
  }
  return place;
}

// Elements of the box that lie side by side in the other one, too.
typedef struct run {
  uint64_t from, to, count; // from which one on, to which one, how many
} run;

// The elements from `*first` on, up to the end of their row or before `end`,
// behind which `*first` is then; a count of 0 where none has a place.
static run take_run(const weir_box *box, uint64_t *first, uint64_t end,
                    const int64_t *starts, const int64_t *shape) {
  run none = {0, 0, 0};
  int32_t last = box->rank - 1;
  if (last < 0) {
    run only = {*first, 0, 1};
    *first = end;
    return only;
  }
  uint64_t length = (uint64_t)box->lengths[last], column = *first % length;
  uint64_t some =
      length - column < end - *first ? length - column : end - *first;
  int64_t row = place_of_row(box, *first / length, starts, shape);
  int64_t begin = begin_in(box, starts, last) + (int64_t)column;
  int64_t low = begin < 0 ? 0 : begin, high = begin + (int64_t)some;
  high = high > shape[last] ? shape[last] : high;
  uint64_t from = *first;
  *first += some;
  if (row < 0 || high <= low)
    return none;
  run found = {from + (uint64_t)(low - begin), (uint64_t)(row + low),
               (uint64_t)(high - low)};
  return found;
}

void weir_place_elements(const weir_box *box, uint64_t first, uint64_t count,
                         const uint8_t *from, size_t width, char *to,
                         const int64_t *starts, const int64_t *shape) {
  for (uint64_t at = first, end = first + count; at < end;) {
    run next = take_run(box, &at, end, starts, shape);
    if (next.count)
      memcpy(to + next.to * width, from + (next.from - first) * width,
             next.count * width);
  }
}

// Sets bits, and counts those that were not.
static uint64_t set_bits(uint8_t *bits, uint64_t at, uint64_t count) {
  uint64_t fresh = 0;
  while (count) {
    if (at % 8 == 0 && count >= 8 && !bits[at / 8]) {
      bits[at / 8] = 255;
      fresh += 8;
      at += 8;
      count -= 8;
      continue;
    }
    fresh += !(bits[at / 8] >> at % 8 & 1);
    bits[at / 8] |= (uint8_t)(1 << at % 8);
    ++at;
    --count;
  }
  return fresh;
}

uint64_t weir_mark_elements(const weir_box *box, uint64_t count, uint8_t *bits,
                            uint64_t at, const int64_t *starts,
                            const int64_t *shape) {
  uint64_t fresh = 0;
  for (uint64_t first = 0; first < count;) {
    run next = take_run(box, &first, count, starts, shape);
    fresh += set_bits(bits, at + next.to, next.count);
  }
  return fresh;
}
