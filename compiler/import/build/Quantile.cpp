// Inverses of the error function and of the normal distribution, composed of
// other functions.

#include "compiler/import/build/Quantile.h"

#include "dialects/graph/Elementwise.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace weir {

Expr polynomial(Expr x, ArrayRef<double> coefficients) {
  Expr sum = x.like(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = sum * x + coefficient;
  return sum;
}

namespace {

// erfinv(x) / x by powers of w - 2.5, with w = -log(1 - x^2) below 5 (Giles,
// Approximating the erfinv function, 2010), to single precision.
static const double inverseSeries[] = {
    1.50140941,     0.246640727,   -0.00417768164,
    -0.00125372503, 0.00021858087, -4.39150654e-6,
    -3.5233877e-6,  3.43273939e-7, 2.81022636e-8};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double rootOfPi = 1.7724538509055160273;

Expr less(Expr x, Expr y) { return apply<graph::LessOp>(x, y); }

/// The y from 0 on with erf(y) = a, where q = 1 - a, both of which say it
/// exactly. Near 0 one step of Halley's from a polynomial; else steps of
/// Newton's on the logarithm of erfc(y), which is almost a parabola, from
/// formula 26.2.23 of Abramowitz and Stegun.
Expr inverseOf(Expr a, Expr q) {
  Expr isNear = less(a, a.like(0.5));
  Expr x = minimum(a, a.like(0.5));
  Expr w = -apply<graph::LogOp>((1 - x) * (x + 1));
  Expr near = x * polynomial(w - 2.5, inverseSeries);
  Expr slope = apply<graph::ExpOp>(-(near * near)) * (2 / rootOfPi);
  Expr off = (apply<graph::ErfOp>(near) - x) / slope;
  near = near - off / (near * off + 1);

  Expr p = minimum(maximum(q, q.like(std::numeric_limits<double>::min())),
                   q.like(0.5));
  Expr logP = apply<graph::LogOp>(p);
  Expr t = apply<graph::SqrtOp>((logP - std::log(2.0)) * -2.0);
  Expr over = (t * 0.010328 + 0.802853) * t + 2.515517;
  Expr under = ((t * 0.001308 + 0.189269) * t + 1.432788) * t + 1;
  Expr far = (t - over / under) * std::sqrt(0.5);
  for (int step = 0; step < 3; ++step) {
    Expr rest = apply<graph::ErfcOp>(far);
    far = far + (apply<graph::LogOp>(rest) - logP) * rest *
                    apply<graph::ExpOp>(far * far) * (rootOfPi / 2);
  }
  return select(isNear, near, far);
}

/// `y` with its values at the ends, and none beyond.
Expr within(Expr y, Expr x, double low, double high) {
  Expr inside =
      apply<graph::LogicalAndOp>(less(x.like(low), x), less(x, x.like(high)));
  Expr beyond = select(apply<graph::EqualOp>(x, x.like(high)), x.like(infinity),
                       x.like(notANumber));
  beyond =
      select(apply<graph::EqualOp>(x, x.like(low)), x.like(-infinity), beyond);
  return select(inside, y, beyond);
}

} // namespace

Expr errorInverse(Expr x) {
  Expr a = apply<graph::AbsOp>(x);
  return within(inverseOf(a, 1 - a) * apply<graph::SignOp>(x), x, -1, 1);
}

Expr normalQuantile(Expr x) {
  Expr off = x - 0.5, half = minimum(x, 1 - x);
  Expr y = inverseOf(apply<graph::AbsOp>(off) * 2, half * 2) * std::sqrt(2.0);
  return within(y * apply<graph::SignOp>(off), x, 0, 1);
}

} // namespace weir
