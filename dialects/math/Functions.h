// Mathematical functions of f32 as straight-line arithmetic, on scalars and
// vectors alike. Errors: docs/math.md.

#ifndef WEIR_DIALECTS_MATH_FUNCTIONS_H
#define WEIR_DIALECTS_MATH_FUNCTIONS_H

#include "dialects/isa/Isa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir {

/// The properties of a target that select the formula of a function, and so its
/// bits.
struct FunctionTarget {
  bool fma = true;
  /// Entries of the tables of the error function that registers hold: 32, 8, or
  /// 0 for polynomials without a table.
  int64_t tableEntries = 0;
  /// The instructions for vectors, which change no bit; null where only scalars
  /// are computed.
  std::shared_ptr<const Isa> isa;

  /// Of the module around an op, by its `weir.target`.
  static FunctionTarget of(mlir::Operation *op);
};

/// Builds arithmetic on values that are all f32 (or all vectors of f32 of one
/// shape), and the functions made of it.
class MathFunctions {
public:
  /// `like` is any operand.
  MathFunctions(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value like,
                const FunctionTarget &target);

  using Value = mlir::Value;

  Value exp(Value x);
  /// e^x where x <= 0 or is not a number.
  Value expOfNonpositive(Value x);
  /// e^x that is 0 or right where it is below 2^-125: for sums with more.
  Value expBesideOne(Value x);
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

  /// An integer as a float, and in the low bits of a float more by a bias.
  struct Integer {
    Value value, shifted;
  };
  static constexpr double integerMagic = 12582912.0;
  /// An exponent's bias, and that of the two that `scale` makes of one.
  static constexpr int bias = 127, twoBiases = 2 * bias;
  /// The integer nearest to x * factor, which is below 2^21.
  Integer nearest(Value x, double factor = 1, int biasedBy = twoBiases);
  /// x * 2^n for |n| < 253 without an intermediate overflow.
  Value scale(Value x, Integer n);
  /// Of the low nine bits of n, which are more by two biases.
  Value scaleByBits(Value x, Value n);
  /// 2^n by the low nine bits of n, which are more by a bias.
  Value powerOfTwo(Value n);
  /// x - n ln(2).
  Value withoutLn2(Value x, Integer n);
  /// e^x * 2^shift.
  Value scaledExp(Value x, int shift);
  /// e^x for x whose exponent, less `shift`, is a normal float's or -127.
  Value expInOneStep(Value x, int shift);
  /// e^r * factor, a power of two, for |r| <= ln(2)/2.
  Value smallExp(Value r, double factor = 1);
  /// log(1 + f) - f for the mantissa 1 + f of x, f and the exponent.
  struct Logarithm {
    Value f, rest, exponent;
  };
  Logarithm splitLog(Value x);
  /// The mantissa in [3/4, 3/2) and the exponent, as floats.
  std::pair<Value, Value> splitByBits(Value x);
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

  /// erf by tables of 32 entries, and of 8.
  Value erfByEighths(Value x);
  Value erfByHalves(Value x);

  /// The entry of a table at the low bits of an index, for a scalar or a vector
  /// of any width: which formula a function has is no matter of the width.
  Value lookUp(Value index, llvm::ArrayRef<float> table);

  mlir::ImplicitLocOpBuilder b;
  mlir::Type f32, f64, i32, i64;
  bool fma;
  int64_t tableEntries; // of erf
  const Isa *isa;
  /// Whether instructions scale vectors of this type, and split them.
  bool scalesAtOnce = false;
};

} // namespace weir

#endif // WEIR_DIALECTS_MATH_FUNCTIONS_H
