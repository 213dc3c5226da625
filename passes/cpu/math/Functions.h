// Mathematical functions of f32 as straight-line arithmetic, on scalars and
// vectors alike. Errors: docs/math.md.

#ifndef WEIR_PASSES_CPU_MATH_FUNCTIONS_H
#define WEIR_PASSES_CPU_MATH_FUNCTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir {

/// Builds arithmetic on values that are all f32 (or all vectors of f32 of one
/// shape), and the functions made of it.
class MathFunctions {
public:
  /// `like` is any operand; `fma` whether the target multiplies and adds at
  /// once.
  MathFunctions(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value like,
                bool fma);

  using Value = mlir::Value;

  Value exp(Value x);
  Value exp2(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log2(Value x);
  Value log10(Value x);
  Value log1p(Value x);
  Value sinh(Value x);
  Value cosh(Value x);
  Value tanh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value sin(Value x);
  Value cos(Value x);
  Value tan(Value x);
  Value asin(Value x);
  Value acos(Value x);
  Value atan(Value x);
  Value atan2(Value y, Value x);
  Value erf(Value x);
  Value cbrt(Value x);
  Value pow(Value x, Value y);
  Value multiplyAdd(Value a, Value b, Value c);

private:
  using Predicate = mlir::arith::CmpFPredicate;

  // Constants and arithmetic.
  Value real(double value);
  Value wide(double value);
  Value bits(int64_t value);
  Value bits64(int64_t value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value sqrt(Value a);
  Value negate(Value a);
  Value abs(Value a);
  Value withSign(Value magnitude, Value sign);
  Value test(Predicate predicate, Value a, Value b);
  Value select(Value condition, Value a, Value b);
  /// Keeps what is not a number.
  Value clamp(Value x, double low, double high);
  /// c0 + x * (c1 + x * ...).
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);
  Value widePolynomial(Value x, llvm::ArrayRef<double> coefficients);
  Value toBits(Value x);
  Value fromBits(Value x);

  /// The integer nearest to x, as a float and as bits; |x| < 2^22.
  std::pair<Value, Value> nearest(Value x);
  /// x * 2^n for |n| < 300 without an intermediate overflow.
  Value scale(Value x, Value n);
  /// e^x * 2^shift.
  Value scaledExp(Value x, int64_t shift);
  /// e^r for |r| <= ln(2)/2.
  Value smallExp(Value r);
  /// log(1 + f) - f for the mantissa 1 + f of x, f and the exponent.
  struct Logarithm {
    Value f, rest, exponent;
  };
  Logarithm splitLog(Value x);
  /// The logarithm's values at 0, below it and at infinity.
  Value specialLog(Value x, Value result);
  /// x reduced to [-pi/4, pi/4] and the quadrant.
  std::pair<Value, Value> reduceAngle(Value x);
  Value sinOf(Value r);
  Value cosOf(Value r);
  /// asin(x) - x for 0 <= x <= 0.5.
  Value smallAsin(Value x, Value square);
  /// log2(x) of f64 for positive x.
  Value wideLog2(Value x);

  mlir::ImplicitLocOpBuilder b;
  mlir::Type f32, f64, i32, i64;
  bool fma;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_MATH_FUNCTIONS_H
