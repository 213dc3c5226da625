/* A libm of another version: each function's result is the next number above.
 *
 *   cc -O1 -shared -fPIC libm.c -o libm.so -ldl
 *   LD_PRELOAD=./libm.so weir compile ...
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>

static double other(double x) {
  return isfinite(x) && x != 0 ? nextafter(x, INFINITY) : x;
}

#define ONE(name)                                                              \
  double name(double x) {                                                      \
    static double (*real)(double);                                             \
    if (!real)                                                                 \
      real = (double (*)(double))dlsym(RTLD_NEXT, #name);                      \
    return other(real(x));                                                     \
  }
#define TWO(name)                                                              \
  double name(double x, double y) {                                            \
    static double (*real)(double, double);                                     \
    if (!real)                                                                 \
      real = (double (*)(double, double))dlsym(RTLD_NEXT, #name);              \
    return other(real(x, y));                                                  \
  }

ONE(exp)
ONE(expm1)
ONE(log)
ONE(log1p)
ONE(sin)
ONE(cos)
ONE(tan)
ONE(asin)
ONE(acos)
ONE(atan)
ONE(sinh)
ONE(cosh)
ONE(tanh)
ONE(asinh)
ONE(acosh)
ONE(atanh)
ONE(erf)
TWO(atan2)
TWO(pow)
