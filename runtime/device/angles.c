// Angles, the error function and remainders of f64 for kernels on a GPU, which
// has no libm. Nothing here but arithmetic, so that a device and its simulator
// give the same bits. Errors are a few units in the last place: docs/math.md.

#include "runtime/device/pair.h"

// The bits of 2 / pi behind the point, after 64 zeros.
static const uint64_t two_over_pi[] = {0,
                                       0xa2f9836e4e441529ull,
                                       0xfc2757d1f534ddc0ull,
                                       0xdb6295993c439041ull,
                                       0xfe5163abdebbc561ull,
                                       0xb7246e3a424dd2e0ull,
                                       0x06492eea09d1921cull,
                                       0xfe1deb1cb129a73eull,
                                       0xe88235f52ebb4484ull,
                                       0xe99c7026b45f7e41ull,
                                       0x3991d639835339f4ull,
                                       0x9c845f8bbdf9283bull,
                                       0x1ff897ffde05980full,
                                       0xef2f118b5a0a6d1full,
                                       0x6d367ecf27cb09b7ull,
                                       0x4f463f669e5fea2dull,
                                       0x7527bac7ebe5f17bull,
                                       0x3d0739f78a5292eaull,
                                       0x6bfb5fb11f8d5d08ull};

// The same of large angles, by the bits of the quotient that count: with x =
// m 2^e, what the first e - 2 bits of 2 / pi give are multiples of 4.
static pair reduced_large_angle(double x, int *quadrant) {
  __extension__ typedef unsigned __int128 wide;
  uint64_t m = (bits_of(x) & 0xfffffffffffffull) | 1ull << 52;
  int start = (int)(bits_of(x) >> 52 & 0x7ff) - 1075 - 2 + 64;
  uint64_t window[3], product[3];
  for (int i = 0; i < 3; ++i) {
    const uint64_t *word = &two_over_pi[start / 64 + i];
    int shift = start % 64;
    window[i] = shift ? word[0] << shift | word[1] >> (64 - shift) : word[0];
  }
  wide carry = 0;
  for (int i = 2; i >= 0; --i) {
    carry += (wide)m * window[i];
    product[i] = (uint64_t)carry;
    carry >>= 64;
  }
  int q = (int)(product[0] >> 62);
  uint64_t high = product[0] << 2 | product[1] >> 62;
  uint64_t low = product[1] << 2 | product[2] >> 62;
  int below = high >> 63 != 0;
  if (below) {
    ++q;
    high = ~high + (low == 0);
    low = ~low + 1;
  }
  pair f = sum_of((double)(high >> 11) * 0x1p-53,
                  (double)(high & 0x7ff) * 0x1p-64 + (double)low * 0x1p-128);
  pair r = times(f, (pair){0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  if (negative(x)) {
    q = -q;
    below = !below;
  }
  *quadrant = q & 3;
  return below ? (pair){-r.high, -r.low} : r;
}

// x less the nearest multiple of pi/2, as a pair, and which of four it is.
static pair reduced_angle(double x, int *quadrant) {
  if (magnitude(x) >= 0x1p30)
    return reduced_large_angle(x, quadrant);
  double n = whole(x * 0x1.45f306dc9c883p-1);
  *quadrant = (int)((int64_t)n & 3);
  double a = fma_(-n, 0x1.921fb54442d18p+0, x);
  pair p = product_of(n, 0x1.1a62633145c07p-54);
  pair r = {a - p.high, 0};
  double t = a - r.high;
  r.low = (t - p.high) - p.low - n * -0x1.f1976b7ed8fbcp-110;
  return sum_of(r.high, r.low);
}

static double sin_of(pair r) {
  double z = r.high * r.high, sum = 1;
  for (int n = 20; n > 2; n -= 2)
    sum = fma_(-sum, z / (n * (n + 1)), 1.0);
  double cube = -z * r.high / 6 * sum;
  return r.high + (cube + r.low * (1 - z / 2));
}

static double cos_of(pair r) {
  double z = r.high * r.high, sum = 1;
  for (int n = 19; n > 3; n -= 2)
    sum = fma_(-sum, z / (n * (n + 1)), 1.0);
  double fourth = z * z / 24 * sum;
  double half = z / 2, first = 1 - half;
  return first + ((1 - first) - half + (fourth - r.high * r.low));
}

double weir_device_sin(double x) {
  if (x == 0)
    return x;
  if (!(magnitude(x) < INFINITE))
    return NOT_A_NUMBER;
  int quadrant;
  pair r = reduced_angle(x, &quadrant);
  double y = quadrant & 1 ? cos_of(r) : sin_of(r);
  return quadrant & 2 ? -y : y;
}

double weir_device_cos(double x) {
  if (!(magnitude(x) < INFINITE))
    return NOT_A_NUMBER;
  int quadrant;
  pair r = reduced_angle(x, &quadrant);
  double y = quadrant & 1 ? sin_of(r) : cos_of(r);
  return (quadrant + 1) & 2 ? -y : y;
}

double weir_device_tan(double x) {
  if (x == 0)
    return x;
  if (!(magnitude(x) < INFINITE))
    return NOT_A_NUMBER;
  int quadrant;
  pair r = reduced_angle(x, &quadrant);
  double s = sin_of(r), c = cos_of(r);
  return quadrant & 1 ? -c / s : s / c;
}

// atan(x) for 0 <= x <= 1: less 0, atan(1/2) or atan(1), by the series.
static pair small_atan(double x) {
  static const double near[3] = {0, 0.5, 1};
  static const pair angle[3] = {{0, 0},
                                {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
  int i = x < 0.25 ? 0 : x < 0.75 ? 1 : 2;
  double t = (x - near[i]) / fma_(x, near[i], 1.0);
  double z = t * t, sum = 1.0 / 29;
  for (int n = 27; n > 1; n -= 2)
    sum = fma_(-sum, z, 1.0 / n);
  return plus(angle[i], sum_of(t, -t * z * sum));
}

static const pair quarter = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// The angle of a point of the upper right quadrant.
static double angle_of(double y, double x, int left) {
  pair a;
  if (y <= x) {
    a = small_atan(x == 0 ? 0 : x == INFINITE && y == INFINITE ? 1 : y / x);
  } else {
    a = small_atan(x / y);
    a = plus(quarter, (pair){-a.high, -a.low});
  }
  if (left)
    a = plus((pair){2 * quarter.high, 2 * quarter.low},
             (pair){-a.high, -a.low});
  return a.high + a.low;
}

double weir_device_atan(double x) {
  if (x == 0 || x != x)
    return x;
  return with_sign(angle_of(magnitude(x), 1, 0), x);
}

double weir_device_atan2(double y, double x) {
  if (x != x || y != y)
    return x + y;
  return with_sign(angle_of(magnitude(y), magnitude(x), negative(x)), y);
}

double weir_device_asin(double x) {
  if (x == 0)
    return x;
  return weir_device_atan2(x, root((1 - x) * (1 + x)));
}

double weir_device_acos(double x) {
  return 2 * weir_device_atan2(root(1 - x), root(1 + x));
}

// By the series of positive terms below 2, above by erfc's continued fraction.
double weir_device_erf(double x) {
  double size = magnitude(x), y;
  if (x != x)
    return x;
  pair exact = product_of(size, size);
  double square = exact.high, power = exp_of(-square, -exact.low);
  if (size >= 6) {
    y = 1;
  } else if (size < 2) {
    double term = size, sum = size;
    for (int n = 1; n < 60; ++n) {
      term *= 2 * square / (2 * n + 1);
      sum += term;
    }
    y = 0x1.20dd750429b6dp+0 * power * sum;
  } else {
    double f = size;
    for (int n = 60; n > 0; --n)
      f = size + n * 0.5 / f;
    y = 1 - power / f * 0x1.20dd750429b6dp-1;
  }
  return with_sign(y, x);
}

// What is left of x after the last whole y, exactly, with the sign of x.
double weir_device_fmod(double x, double y) {
  double rest = magnitude(x), size = magnitude(y);
  if (!(rest < INFINITE) || y != y || size == 0)
    return NOT_A_NUMBER;
  while (rest >= size) {
    double step = size;
    int gap = (int)(bits_of(rest) >> 52) - (int)(bits_of(size) >> 52);
    if (gap > 0 && size >= 0x1p-1022) {
      step = from_bits(bits_of(size) + ((uint64_t)gap << 52));
      if (step > rest)
        step = from_bits(bits_of(step) - (1ull << 52));
    } else if (gap > 0) {
      // Below the normal numbers a double step is exact as well.
      while (step <= rest - step)
        step += step;
    }
    rest -= step;
  }
  return with_sign(rest, x);
}
