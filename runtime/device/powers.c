// Exponentials, logarithms, powers and roots of f64 for
// kernels on a GPU, which has no libm. Nothing here but arithmetic, so that a
// device and its simulator give the same bits. Errors are a few units in the
// last place: docs/math.md.

#include "runtime/device/pair.h"

double weir_device_exp(double x) { return exp_of(x, 0); }

double weir_device_exp2(double x) {
  if (x != x || x > 1100 || x < -1100)
    return x != x ? x : x > 0 ? INFINITE : 0;
  double n = whole(x), f = x - n;
  pair y = product_of(f, ln2_high);
  double p = small_expm1(y.high), low = y.low + f * ln2_low;
  return scaled(1 + (p + low * (1 + p)), (int)n);
}

double weir_device_expm1(double x) {
  if (x != x || x == 0)
    return x;
  if (x > 710)
    return INFINITE;
  if (x < -40)
    return -1;
  double n = whole(x * 0x1.71547652b82fep+0);
  double high = fma_(-n, ln2_high, x), low = -n * ln2_low;
  double r = high + low, lost = high - r + low;
  double p = small_expm1(r);
  p += lost + lost * p;
  if (n == 0)
    return p;
  if (n > 1000)
    return scaled(1 + p, (int)n);
  double power = scaled(1, (int)n);
  return fma_(power, p, power - 1);
}

// log(x) of a positive finite number: the mantissa is in [sqrt(1/2), sqrt(2)).
static pair log_of(double x, double *exponent) {
  int e = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    e = -54;
  }
  uint64_t bits = bits_of(x) - 0x3fe6a09e667f3bcdull;
  e += (int)((int64_t)bits >> 52);
  double m = from_bits((bits & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
  *exponent = e;
  // With s = (m - 1) / (m + 1): 2 (s + s^3 / 3 + s^5 / 5 + ...).
  double f = m - 1, d = m + 1, d_low = m - (d - 1);
  double s = f / d;
  double s_low = (fma_(-s, d, f) - s * d_low) / d;
  double z = s * s, sum = 1.0 / 23;
  for (int n = 21; n > 3; n -= 2)
    sum = fma_(sum, z, 1.0 / n);
  // The term of the third power counts beyond a double for pow.
  pair square = times((pair){s, s_low}, (pair){s, s_low});
  pair cube = times(square, (pair){s, s_low});
  pair third = times(cube, (pair){0x1.5555555555555p-2, 0x1.5555555555555p-56});
  pair fifth = product_of(cube.high * square.high, sum);
  pair result = plus((pair){s, s_low}, plus(third, fifth));
  return (pair){2 * result.high, 2 * result.low};
}

// What has no logarithm, or an endless one.
static int special_log(double x, double *result) {
  if (x > 0 && x < INFINITE)
    return 0;
  *result = x == 0 ? -INFINITE : x < 0 ? NOT_A_NUMBER : x;
  return 1;
}

// log(x) as a pair.
static pair wide_log(double x) {
  double e;
  pair part = log_of(x, &e);
  if (e == 0)
    return part;
  pair whole_part = product_of(e, ln2_high);
  whole_part = sum_of(whole_part.high, whole_part.low + e * ln2_low);
  return plus(whole_part, part);
}

double weir_device_log(double x) {
  double special;
  if (special_log(x, &special))
    return special;
  pair y = wide_log(x);
  return y.high + y.low;
}

double weir_device_log2(double x) {
  double special, e;
  if (special_log(x, &special))
    return special;
  pair y =
      times(log_of(x, &e), (pair){0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
  if (e == 0)
    return y.high + y.low;
  y = plus((pair){e, 0}, y);
  return y.high + y.low;
}

double weir_device_log10(double x) {
  double special;
  if (special_log(x, &special))
    return special;
  pair y =
      times(wide_log(x), (pair){0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
  return y.high + y.low;
}

double weir_device_log1p(double x) {
  double special = 0;
  if (x == 0 || x != x)
    return x;
  if (x == INFINITE || x <= -1) {
    special_log(1 + x, &special);
    return special;
  }
  double y = 1 + x;
  double lost = x > 1 ? 1 - (y - x) : x - (y - 1);
  return weir_device_log(y) + lost / y;
}

// (-1)^e |x|^y by e^(y log x), with the logarithm to more than 100 bits.
double weir_device_pow(double x, double y) {
  if (y == 0 || x == 1)
    return 1;
  if (x != x || y != y)
    return x + y;
  double size = magnitude(x);
  int is_whole = whole(y) == y;
  int is_odd = is_whole && magnitude(y) < 0x1p53 && whole(y / 2) != y / 2;
  if (magnitude(y) == INFINITE) {
    if (size == 1)
      return 1;
    return (size > 1) == (y > 0) ? INFINITE : 0;
  }
  double result;
  if (size == 0 || size == INFINITE) {
    result = (size == 0) == (y < 0) ? INFINITE : 0;
  } else {
    if (x < 0 && !is_whole)
      return NOT_A_NUMBER;
    pair l = wide_log(size);
    pair power = product_of(y, l.high);
    if (magnitude(power.high) > 1e4)
      result = power.high > 0 ? INFINITE : 0;
    else
      result = exp_of(power.high, power.low + y * l.low);
  }
  return is_odd && negative(x) ? -result : result;
}

double weir_device_sinh(double x) {
  double size = magnitude(x), y;
  if (size < 22) {
    double e = weir_device_expm1(size);
    y = (e + e / (e + 1)) / 2;
  } else {
    double e = weir_device_exp(size / 2);
    y = e / 2 * e;
  }
  return with_sign(y, x);
}

double weir_device_cosh(double x) {
  double e = weir_device_exp(magnitude(x) / 2);
  if (magnitude(x) < 22) {
    double whole_power = weir_device_exp(magnitude(x));
    return (whole_power + 1 / whole_power) / 2;
  }
  return e / 2 * e;
}

double weir_device_tanh(double x) {
  double size = magnitude(x);
  if (size > 22)
    return with_sign(1, x);
  double e = weir_device_expm1(2 * size);
  return with_sign(size != size ? size : e / (e + 2), x);
}

double weir_device_asinh(double x) {
  double size = magnitude(x);
  if (!(size < INFINITE))
    return x;
  double y =
      size > 0x1p28
          ? weir_device_log(size) + ln2_high
          : weir_device_log1p(size + size * size / (1 + root(size * size + 1)));
  return with_sign(y, x);
}

double weir_device_acosh(double x) {
  if (x > 0x1p28)
    return weir_device_log(x) + ln2_high;
  double t = x - 1;
  return weir_device_log1p(t + root(2 * t + t * t));
}

double weir_device_atanh(double x) {
  double size = magnitude(x);
  return with_sign(weir_device_log1p(2 * size / (1 - size)) / 2, x);
}

double weir_device_cbrt(double x) {
  double size = magnitude(x);
  if (!(size < INFINITE) || size == 0)
    return x;
  double factor = 1;
  if (size < 0x1p-1022) {
    size *= 0x1p54;
    factor = 0x1p-18;
  } else if (size > 0x1p1000) {
    size *= 0x1p-54;
    factor = 0x1p18;
  }
  // A third of the exponent, then Halley's steps.
  double y = from_bits(bits_of(size) / 3 + 0x2a9f7893782da1ceull);
  for (int i = 0; i < 4; ++i) {
    double cube = y * y * y;
    y = y - y * ((cube - size) / (2 * cube + size));
  }
  return with_sign(y * factor, x);
}
