// Arithmetic beyond a double's digits, for functions of f64 in kernels.
#ifndef WEIR_RUNTIME_DEVICE_PAIR_H
#define WEIR_RUNTIME_DEVICE_PAIR_H

#include <stdint.h>

#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

static inline double fma_(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
static inline double magnitude(double x) { return __builtin_fabs(x); }
static inline double root(double x) { return __builtin_sqrt(x); }
static inline double whole(double x) { return __builtin_rint(x); }

static inline uint64_t bits_of(double x) {
  union {
    double value;
    uint64_t bits;
  } u = {x};
  return u.bits;
}

static inline double from_bits(uint64_t bits) {
  union {
    uint64_t bits;
    double value;
  } u = {bits};
  return u.value;
}

static inline int negative(double x) { return bits_of(x) >> 63 != 0; }
static inline double with_sign(double size, double sign) {
  return from_bits((bits_of(size) & ~0ull >> 1) | (bits_of(sign) & 1ull << 63));
}

// x * 2^n, rounded once.
static inline double scaled(double x, int n) {
  if (n > 1023) {
    x *= 0x1p1023;
    n = n - 1023 > 1023 ? 1023 : n - 1023;
  } else if (n < -1022) {
    x *= 0x1p-969;
    n = n + 969 < -1022 ? -1022 : n + 969;
  }
  return x * from_bits((uint64_t)(n + 1023) << 52);
}

// A value as the sum of two, the second below half a unit of the first.
typedef struct pair {
  double high, low;
} pair;

static inline pair sum_of(double a, double b) { // |a| >= |b|
  double high = a + b;
  return (pair){high, b - (high - a)};
}

static inline pair product_of(double a, double b) {
  double high = a * b;
  return (pair){high, fma_(a, b, -high)};
}

static inline pair times(pair a, pair b) {
  pair p = product_of(a.high, b.high);
  return sum_of(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline pair plus(pair a, pair b) { // |a| >= |b|
  pair s = sum_of(a.high, b.high);
  return sum_of(s.high, s.low + (a.low + b.low));
}

static const double ln2_high = 0x1.62e42fefa39efp-1,
                    ln2_low = 0x1.abc9e3b39803fp-56;

// e^r - 1 for |r| <= ln(2) / 2, by the series of the exponential.
static inline double small_expm1(double r) {
  double sum = 1.0 / 15;
  for (int n = 14; n > 1; --n)
    sum = fma_(sum, r, 1.0) / n;
  return fma_(sum * r, r, r);
}

// e^(x + rest) for a small `rest`.
static inline double exp_of(double x, double rest) {
  if (x != x)
    return x;
  if (x > 710)
    return INFINITE;
  if (x < -746)
    return 0;
  double n = whole(x * 0x1.71547652b82fep+0);
  double high = fma_(-n, ln2_high, x);
  double low = fma_(-n, ln2_low, rest);
  double r = high + low, lost = high - r + low;
  double p = small_expm1(r);
  p += lost + lost * p;
  return scaled(1 + p, (int)n);
}

#endif
