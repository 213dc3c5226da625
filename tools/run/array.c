// Tensors of a run: dtype, shape, bytes, and their elements as numbers.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/array.h"
#include "tools/run/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  weir_dtype dtype;
  const char *name;
  size_t bytes;
} dtypes[] = {
    {WEIR_F16, "f16", 2}, {WEIR_BF16, "bf16", 2}, {WEIR_F32, "f32", 4},
    {WEIR_F64, "f64", 8}, {WEIR_BOOL, "i1", 1},   {WEIR_I8, "i8", 1},
    {WEIR_I16, "i16", 2}, {WEIR_I32, "i32", 4},   {WEIR_I64, "i64", 8},
    {WEIR_U8, "ui8", 1},  {WEIR_U16, "ui16", 2},  {WEIR_U32, "ui32", 4},
    {WEIR_U64, "ui64", 8}};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

size_t dtype_bytes(weir_dtype dtype) {
  for (int i = 0; i < DTYPES; ++i)
    if (dtypes[i].dtype == dtype)
      return dtypes[i].bytes;
  return 1;
}

const char *dtype_name(weir_dtype dtype) {
  for (int i = 0; i < DTYPES; ++i)
    if (dtypes[i].dtype == dtype)
      return dtypes[i].name;
  return "?";
}

int dtype_of_name(const char *name, size_t length, weir_dtype *dtype) {
  for (int i = 0; i < DTYPES; ++i)
    if (strlen(dtypes[i].name) == length &&
        !memcmp(dtypes[i].name, name, length)) {
      *dtype = dtypes[i].dtype;
      return 0;
    }
  return -1;
}

int array_allocate(struct array *array) {
  int64_t elements = 1;
  for (int i = 0; i < array->rank; ++i)
    if (array->shape[i] < 0 ||
        __builtin_mul_overflow(elements, array->shape[i], &elements))
      return FAULT;
  size_t bytes;
  if (__builtin_mul_overflow((size_t)elements, dtype_bytes(array->dtype),
                             &bytes) ||
      bytes > SIZE_MAX / 2)
    return FAULT;
  array->elements = elements;
  array->bytes = bytes;
  size_t whole = (bytes + 64) / 64 * 64;
  array->data = aligned_alloc(64, whole);
  if (!array->data)
    return LIMIT;
  memset(array->data, 0, whole);
  return 0;
}

void array_free(struct array *array) {
  free(array->data);
  array->data = NULL;
}

static double from_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value;
  if (exponent == 31)
    value = mantissa ? NAN : INFINITY;
  else if (exponent)
    value = ldexp(1024 + mantissa, exponent - 25);
  else
    value = ldexp(mantissa, -24);
  return bits >> 15 ? -value : value;
}

/// A number from 0 to 2048 to the nearest integer, ties to even: the sum has
/// no bits below one. The one function of libm that weir-engine would need,
/// which a start would load for it.
static uint16_t nearest(double value) {
  double shifted = value + 0x1p52;
  return (uint16_t)(shifted - 0x1p52);
}

/// Rounds to nearest, ties to even, through the scaled integer.
static uint16_t to_half(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double size = fabs(value);
  if (isnan(value))
    return sign | 0x7e00;
  if (size >= 65520)
    return sign | 0x7c00;
  int exponent;
  frexp(size, &exponent);
  if (size == 0 || exponent < -13)
    return sign | nearest(ldexp(size, 24));
  // A mantissa that rounds up to the next power carries into the exponent.
  uint16_t scaled = nearest(ldexp(size, 11 - exponent));
  return sign | (uint16_t)(((exponent + 13) << 10) + scaled);
}

static double from_bfloat(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, 4);
  return value;
}

static uint16_t to_bfloat(double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, 4);
  if (isnan(value))
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double array_get(const struct array *array, int64_t i) {
  const void *p = array->data;
  switch (array->dtype) {
  case WEIR_F16:
    return from_half(((const uint16_t *)p)[i]);
  case WEIR_BF16:
    return from_bfloat(((const uint16_t *)p)[i]);
  case WEIR_F32:
    return ((const float *)p)[i];
  case WEIR_F64:
    return ((const double *)p)[i];
  case WEIR_BOOL:
  case WEIR_U8:
    return ((const uint8_t *)p)[i];
  case WEIR_I8:
    return ((const int8_t *)p)[i];
  case WEIR_I16:
    return ((const int16_t *)p)[i];
  case WEIR_I32:
    return ((const int32_t *)p)[i];
  case WEIR_I64:
    return (double)((const int64_t *)p)[i];
  case WEIR_U16:
    return ((const uint16_t *)p)[i];
  case WEIR_U32:
    return ((const uint32_t *)p)[i];
  case WEIR_U64:
    return (double)((const uint64_t *)p)[i];
  }
  return 0;
}

/// C leaves conversions out of range undefined; these saturate.
static int64_t to_signed(double value, int bits) {
  double limit = ldexp(1, bits - 1);
  if (isnan(value))
    return 0;
  if (value >= limit)
    return (int64_t)(UINT64_MAX >> (65 - bits));
  if (value < -limit)
    return -(int64_t)(UINT64_MAX >> (65 - bits)) - 1;
  return (int64_t)value;
}

static uint64_t to_unsigned(double value, int bits) {
  if (!(value > 0))
    return 0;
  return value >= ldexp(1, bits) ? UINT64_MAX >> (64 - bits) : (uint64_t)value;
}

void array_set(struct array *array, int64_t i, double value) {
  void *p = array->data;
  switch (array->dtype) {
  case WEIR_F16:
    ((uint16_t *)p)[i] = to_half(value);
    break;
  case WEIR_BF16:
    ((uint16_t *)p)[i] = to_bfloat(value);
    break;
  case WEIR_F32:
    ((float *)p)[i] = (float)value;
    break;
  case WEIR_F64:
    ((double *)p)[i] = value;
    break;
  case WEIR_BOOL:
    ((uint8_t *)p)[i] = value != 0;
    break;
  case WEIR_U8:
    ((uint8_t *)p)[i] = (uint8_t)to_unsigned(value, 8);
    break;
  case WEIR_I8:
    ((int8_t *)p)[i] = (int8_t)to_signed(value, 8);
    break;
  case WEIR_I16:
    ((int16_t *)p)[i] = (int16_t)to_signed(value, 16);
    break;
  case WEIR_I32:
    ((int32_t *)p)[i] = (int32_t)to_signed(value, 32);
    break;
  case WEIR_I64:
    ((int64_t *)p)[i] = to_signed(value, 64);
    break;
  case WEIR_U16:
    ((uint16_t *)p)[i] = (uint16_t)to_unsigned(value, 16);
    break;
  case WEIR_U32:
    ((uint32_t *)p)[i] = (uint32_t)to_unsigned(value, 32);
    break;
  case WEIR_U64:
    ((uint64_t *)p)[i] = to_unsigned(value, 64);
    break;
  }
}

void array_type_text(const struct array *array, char *text, size_t size) {
  size_t at = 0;
  text[0] = 0;
  for (int i = 0; i < array->rank && at < size; ++i)
    at += (size_t)snprintf(text + at, size - at, "%lldx",
                           (long long)array->shape[i]);
  if (at < size)
    snprintf(text + at, size - at, "%s", dtype_name(array->dtype));
}

/// The distance of two integers, which a double may not represent.
static uint64_t distance(const struct array *a, const struct array *b,
                         int64_t i) {
  const void *p = a->data, *q = b->data;
  int64_t x = 0, y = 0;
  switch (a->dtype) {
  case WEIR_BOOL:
    x = ((const uint8_t *)p)[i] != 0, y = ((const uint8_t *)q)[i] != 0;
    break;
  case WEIR_I64:
    x = ((const int64_t *)p)[i], y = ((const int64_t *)q)[i];
    break;
  case WEIR_U64: {
    uint64_t u = ((const uint64_t *)p)[i], v = ((const uint64_t *)q)[i];
    return u < v ? v - u : u - v;
  }
  default:
    x = (int64_t)array_get(a, i), y = (int64_t)array_get(b, i);
  }
  return x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y;
}

static int64_t compare_integers(const struct array *got,
                                const struct array *want, char *worst,
                                size_t size) {
  int64_t differ = 0;
  uint64_t most = 0;
  for (int64_t i = 0; i < got->elements; ++i) {
    uint64_t apart = distance(got, want, i);
    differ += apart != 0;
    most = apart > most ? apart : most;
  }
  snprintf(worst, size, "%llu", (unsigned long long)most);
  return differ;
}

int64_t array_compare(const struct array *got, const struct array *want,
                      double rtol, double atol, char *worst, size_t size) {
  if (got->dtype >= WEIR_BOOL)
    return compare_integers(got, want, worst, size);
  int64_t differ = 0;
  double most = 0;
  for (int64_t i = 0; i < got->elements; ++i) {
    double a = array_get(got, i), b = array_get(want, i);
    if ((isnan(a) && isnan(b)) || a == b)
      continue;
    double apart = fabs(a - b);
    // A NaN stays the most: no number is above it.
    if (apart > most || (isnan(apart) && !isnan(most)))
      most = apart;
    if (!(apart <= atol + rtol * fabs(b)) || isinf(b))
      ++differ;
  }
  snprintf(worst, size, "%g", most);
  return differ;
}
