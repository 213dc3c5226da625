// Values written on the command line, and random ones.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/array.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One number, or true or false; integers in full 64-bit precision.
static const char *parse_number(const char *at, struct array *array,
                                int64_t index) {
  char *end;
  if (!strncmp(at, "true", 4) || !strncmp(at, "false", 5)) {
    array_set(array, index, *at == 't');
    return at + (*at == 't' ? 4 : 5);
  }
  errno = 0;
  if (array->dtype == WEIR_I64)
    ((int64_t *)array->data)[index] = strtoll(at, &end, 10);
  else if (array->dtype == WEIR_U64)
    ((uint64_t *)array->data)[index] = strtoull(at, &end, 10);
  else
    array_set(array, index, strtod(at, &end));
  return end == at || (errno == ERANGE && array->dtype >= WEIR_BOOL) ? NULL
                                                                     : end;
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

int value_parse(const char *text, struct array *array, char *error,
                size_t size) {
  const char *at = parse_type(text, array);
  if (!at || *at != '=') {
    snprintf(error, size,
             "'%.80s' is not like 2x3xf32=1,2,3,4,5,6 or @file.npy", text);
    return -1;
  }
  if (array_allocate(array)) {
    snprintf(error, size, "'%.80s' is too large", text);
    return -1;
  }
  int64_t count = 0;
  for (++at; *at; ++count) {
    if (count == array->elements || !(at = parse_number(at, array, count)))
      break;
    while (*at == ',' || *at == ' ')
      ++at;
  }
  if (!at || *at || (count != array->elements && count != 1)) {
    snprintf(error, size, "'%.80s' has not %lld numbers", text,
             (long long)array->elements);
    array_free(array);
    return -1;
  }
  size_t width = dtype_bytes(array->dtype);
  for (int64_t i = 1; count == 1 && i < array->elements; ++i)
    memcpy((char *)array->data + (size_t)i * width, array->data, width);
  return 0;
}

void value_random(struct array *array, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (int64_t i = 0; i < array->elements; ++i) {
    // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    if (array->dtype == WEIR_BOOL)
      array_set(array, i, (double)(z & 1));
    else if (array->dtype > WEIR_BOOL)
      array_set(array, i, (double)(z >> 61));
    else
      array_set(array, i, ldexp((double)(z >> 40), -23) - 1);
  }
}
