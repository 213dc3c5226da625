// Values written on the command line, and random ones.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/array.h"
#include "tools/run/status.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_word(const char *text, size_t length, const char *word) {
  return length == strlen(word) && !memcmp(text, word, length);
}

/// An integer of the array's type: null, or what is wrong with it.
static const char *parse_integer(const char *text, char **end,
                                 struct array *array, int64_t index) {
  unsigned spare = 64 - 8 * (unsigned)dtype_bytes(array->dtype);
  uint64_t bits;
  int fits;
  errno = 0;
  if (array->dtype >= WEIR_I8 && array->dtype <= WEIR_I64) {
    int64_t value = strtoll(text, end, 10), most = INT64_MAX >> spare;
    fits = value <= most && value >= -most - 1;
    bits = (uint64_t)value;
  } else {
    bits = strtoull(text, end, 10);
    fits = bits <= (array->dtype == WEIR_BOOL ? 1 : UINT64_MAX >> spare) &&
           *text != '-';
  }
  if (*end == text)
    return "is no integer";
  memcpy((char *)array->data + (size_t)index * dtype_bytes(array->dtype), &bits,
         dtype_bytes(array->dtype));
  return errno || !fits ? "is out of range" : NULL;
}

/// One number, or true or false, up to a comma or a space: where it ends, or
/// null with a sentence in `error`.
static const char *parse_number(const char *at, struct array *array,
                                int64_t index, char *error, size_t size) {
  size_t length = strcspn(at, ", ");
  int yes = is_word(at, length, "true");
  if (yes || is_word(at, length, "false")) {
    array_set(array, index, yes);
    return at + length;
  }
  const char *why = NULL;
  char *end;
  if (array->dtype >= WEIR_BOOL) {
    why = parse_integer(at, &end, array, index);
    if (end != at + length)
      why = "is no integer";
  } else {
    array_set(array, index, strtod(at, &end));
    if (end != at + length || !length)
      why = "is no number";
  }
  if (!why)
    return end;
  snprintf(error, size, "'%.*s' %s (%s)", length > 80 ? 80 : (int)length, at,
           why, dtype_name(array->dtype));
  return NULL;
}

/// "2x3xf32": the dimensions, then the element type.
static const char *parse_type(const char *text, struct array *array) {
  array->rank = 0;
  while (isdigit((unsigned char)*text)) {
    char *end;
    errno = 0;
    long long dim = strtoll(text, &end, 10);
    if (errno || *end != 'x' || array->rank == MAX_RANK)
      return NULL;
    array->shape[array->rank++] = dim;
    text = end + 1;
  }
  size_t length = strcspn(text, "=");
  return dtype_of_name(text, length, &array->dtype) ? NULL : text + length;
}

/// The array's numbers, which begin at `at`; `text` is what messages show.
static int fill(const char *text, const char *at, struct array *array,
                char *error, size_t size) {
  int status = array_allocate(array);
  if (status) {
    snprintf(error, size, "'%.80s' is too large", text);
    return status;
  }
  int64_t count = 0;
  at += strspn(at, " ");
  for (; *at && count < array->elements; ++count) {
    at = parse_number(at, array, count, error, size);
    if (!at) {
      array_free(array);
      return FAULT;
    }
    at += strspn(at, ", ");
  }
  if (*at || (count != array->elements && count != 1)) {
    snprintf(error, size, "'%.80s' has not %lld numbers", text,
             (long long)array->elements);
    array_free(array);
    return FAULT;
  }
  size_t width = dtype_bytes(array->dtype);
  for (int64_t i = 1; count == 1 && i < array->elements; ++i)
    memcpy((char *)array->data + (size_t)i * width, array->data, width);
  return 0;
}

int value_parse(const char *text, struct array *array, char *error,
                size_t size) {
  const char *at = parse_type(text, array);
  if (!at || *at != '=') {
    snprintf(error, size,
             "'%.80s' is not like 2x3xf32=1,2,3,4,5,6 or @file.npy", text);
    return FAULT;
  }
  return fill(text, at + 1, array, error, size);
}

int value_fill(const char *text, struct array *array, char *error,
               size_t size) {
  return fill(text, text, array, error, size);
}

uint64_t random_next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

void value_random(struct array *array, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (int64_t i = 0; i < array->elements; ++i) {
    uint64_t z = random_next(&state);
    if (array->dtype == WEIR_BOOL)
      array_set(array, i, (double)(z & 1));
    else if (array->dtype > WEIR_BOOL)
      array_set(array, i, (double)(z >> 61));
    else
      array_set(array, i, ldexp((double)(z >> 40), -23) - 1);
  }
}
