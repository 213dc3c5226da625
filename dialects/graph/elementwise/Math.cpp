// Scalar functions of floats that are one op of the math dialect, or few.

#include "dialects/graph/elementwise/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir::graph::scalar {

Scalar exp(Scalar x) { return x.make<math::ExpOp>(x); }
Scalar expm1(Scalar x) { return x.make<math::ExpM1Op>(x); }
Scalar log(Scalar x) { return x.make<math::LogOp>(x); }
Scalar log1p(Scalar x) { return x.make<math::Log1pOp>(x); }
Scalar sqrt(Scalar x) { return x.make<math::SqrtOp>(x); }
// Two roundings and no approximation, which math.rsqrt may become.
Scalar rsqrt(Scalar x) { return 1.0 / sqrt(x); }
Scalar sin(Scalar x) { return x.make<math::SinOp>(x); }
Scalar cos(Scalar x) { return x.make<math::CosOp>(x); }
Scalar tan(Scalar x) { return x.make<math::TanOp>(x); }
Scalar asin(Scalar x) { return x.make<math::AsinOp>(x); }
Scalar acos(Scalar x) { return x.make<math::AcosOp>(x); }
Scalar atan(Scalar x) { return x.make<math::AtanOp>(x); }
Scalar sinh(Scalar x) { return x.make<math::SinhOp>(x); }
Scalar cosh(Scalar x) { return x.make<math::CoshOp>(x); }
Scalar tanh(Scalar x) { return x.make<math::TanhOp>(x); }
Scalar asinh(Scalar x) { return x.make<math::AsinhOp>(x); }
Scalar acosh(Scalar x) { return x.make<math::AcoshOp>(x); }
Scalar atanh(Scalar x) { return x.make<math::AtanhOp>(x); }
Scalar erf(Scalar x) { return x.make<math::ErfOp>(x); }
Scalar atan2(Scalar x, Scalar y) { return x.make<math::Atan2Op>(x, y); }

Scalar xlogy(Scalar x, Scalar y) { return select(x == 0.0, 0.0, x * log(y)); }

Scalar xdivy(Scalar x, Scalar y) { return select(x == 0.0, 0.0, x / y); }

Scalar xlog1py(Scalar x, Scalar y) {
  return select(x == 0.0, 0.0, x * log1p(y));
}

// The exponential never overflows: a program may trap that.
Scalar sigmoid(Scalar x) {
  Scalar power = exp(-x.make<math::AbsFOp>(x));
  return select(x < 0.0, power, 1.0) / (1.0 + power);
}

// The exponential never overflows, and a large x loses nothing.
Scalar softplus(Scalar x) {
  Scalar magnitude = x.make<math::AbsFOp>(x);
  return relu(x) + log1p(exp(-magnitude));
}

Scalar softsign(Scalar x) { return x / (1.0 + x.make<math::AbsFOp>(x)); }

// Written so that NaN stays and that it is one maxps.
Scalar relu(Scalar x) { return select(x < 0.0, 0.0, x); }

// Of select(x > 6, 6, relu(x)) LLVM would compare x and find no minps.
Scalar relu6(Scalar x) { return minimum(relu(x), x.constant(6.0)); }

/// e^x - 1 of the smaller of x and 0: of what is not taken it would overflow.
static Scalar expm1OfNegative(Scalar x) {
  return expm1(select(x < 0.0, x, 0.0));
}

Scalar elu(Scalar x) { return select(x < 0.0, expm1OfNegative(x), x); }

Scalar selu(Scalar x) {
  const double scale = 1.0507009873554804934193349852946;
  const double alpha = 1.6732632423543772848170429916717;
  return select(x < 0.0, scale * alpha * expm1OfNegative(x), scale * x);
}

} // namespace weir::graph::scalar
