// Slices of tensors: their keys in an index, which are TensorFlow's ordered
// code, and boxes of elements. No byte of a key is trusted.

#include "runtime/checkpoint/slices.h"
#include "runtime/libc.h"

static size_t left(weir_span s) { return (size_t)(s.end - s.at); }

// Text in which 0 and 255 are followed by 255 and 0, up to a 0 and a 1.
static int take_text(weir_span *from, uint8_t *to, size_t *bytes) {
  for (*bytes = 0; left(*from) >= 2 && *bytes < WEIR_KEY_MOST;) {
    uint8_t byte = *from->at++;
    if (byte == 0 || byte == 255) {
      uint8_t next = *from->at++, escape = byte ? 0 : 255;
      if (byte == 0 && next == 1)
        return 1;
      if (next != escape)
        return 0;
    }
    to[(*bytes)++] = byte;
  }
  return 0;
}

// The count of a number's bytes, and these, highest first.
static int take_number(weir_span *from, uint64_t *value) {
  *value = 0;
  if (!left(*from) || *from->at > 8 || left(*from) - 1 < *from->at)
    return 0;
  for (unsigned bytes = *from->at++; bytes; --bytes)
    *value = *value << 8 | *from->at++;
  return 1;
}

// As many bits like the first one as there are bytes, and a number whose sign
// is the opposite of that bit.
static int take_signed(weir_span *from, int64_t *value) {
  if (!left(*from))
    return 0;
  uint8_t sign = *from->at & 128 ? 0 : 255; // of all bits above the number's
  unsigned bytes = 0;
  while (bytes < 16 && left(*from) > bytes / 8 &&
         (from->at[bytes / 8] ^ sign) & 128 >> bytes % 8)
    ++bytes;
  if (bytes > 10 || left(*from) < bytes)
    return 0;
  unsigned header = 0xffffu & ~(0xffffu >> bytes);
  uint64_t bits = sign ? ~(uint64_t)0 : 0;
  for (unsigned i = 0; i < bytes; ++i) {
    uint8_t mask = i == 0   ? (uint8_t)(header >> 8)
                   : i == 1 ? (uint8_t)header
                            : 0;
    bits = bits << 8 | (*from->at++ ^ mask);
  }
  *value = (int64_t)bits;
  return 1;
}

int weir_take_slice_key(weir_span key, uint8_t *name, size_t *name_bytes,
                        weir_box *box) {
  uint64_t none, rank;
  if (!take_number(&key, &none) || none || !take_text(&key, name, name_bytes) ||
      !take_number(&key, &rank) || rank > WEIR_RANK_MOST)
    return 0;
  box->rank = (int32_t)rank;
  for (int32_t i = 0; i < box->rank; ++i)
    if (!take_signed(&key, &box->starts[i]) ||
        !take_signed(&key, &box->lengths[i]))
      return 0;
  return key.at == key.end;
}

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
