// Builds scalar functions in the notation of formulas. All of them are total:
// no operand traps or is undefined. There are no branches, except in the loops
// of SpecialLoops.cpp.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE_SCALAR_H
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE_SCALAR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace weir::graph {

/// An element of an operand, or a value computed from one. Its type is
/// signless; the signedness of an integer is stored beside it.
class Scalar {
public:
  Scalar(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
         bool isUnsigned = false)
      : b(&b), loc(loc), value(value), isUnsigned(isUnsigned) {}

  operator mlir::Value() const { return value; }
  mlir::Type type() const { return value.getType(); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(type()); }
  bool isBool() const { return type().isInteger(1); }
  unsigned width() const { return type().getIntOrFloatBitWidth(); }

  /// A constant of this type.
  Scalar constant(double number) const;
  Scalar constant(const llvm::APInt &number) const;
  /// The extreme values of this integer type.
  Scalar lowest() const;
  Scalar highest() const;
  /// Applies `Op`; the result has the same signedness.
  template <typename Op, typename... Operands>
  Scalar make(Operands &&...operands) const {
    return Scalar(*b, loc, b->create<Op>(loc, operands...), isUnsigned);
  }
  /// Converts as TensorFlow's Cast does; saturates where C++ is undefined.
  Scalar to(mlir::Type type, bool toUnsigned = false) const;
  /// The same bits as a type of the same width.
  Scalar bits(mlir::Type type) const;
  mlir::Type integerType() const { return b->getIntegerType(width()); }

  mlir::OpBuilder *b;
  mlir::Location loc;
  mlir::Value value;
  bool isUnsigned;
};

Scalar operator-(Scalar x);
Scalar operator+(Scalar x, Scalar y);
Scalar operator-(Scalar x, Scalar y);
Scalar operator*(Scalar x, Scalar y);
/// Integer division truncates; it yields 0 for `y` = 0, and wraps on overflow.
Scalar operator/(Scalar x, Scalar y);
/// Ordered: false if an operand is NaN.
Scalar operator<(Scalar x, Scalar y);
Scalar operator<=(Scalar x, Scalar y);
Scalar operator>(Scalar x, Scalar y);
Scalar operator>=(Scalar x, Scalar y);
Scalar operator==(Scalar x, Scalar y);
/// True if an operand is NaN.
Scalar operator!=(Scalar x, Scalar y);
/// Bitwise; also the logic of Booleans.
Scalar operator&(Scalar x, Scalar y);
Scalar operator|(Scalar x, Scalar y);
Scalar operator^(Scalar x, Scalar y);
Scalar operator~(Scalar x);
Scalar select(Scalar condition, Scalar x, Scalar y);

inline Scalar operator+(Scalar x, double y) { return x + x.constant(y); }
inline Scalar operator-(Scalar x, double y) { return x - x.constant(y); }
inline Scalar operator*(Scalar x, double y) { return x * x.constant(y); }
inline Scalar operator/(Scalar x, double y) { return x / x.constant(y); }
inline Scalar operator+(double x, Scalar y) { return y.constant(x) + y; }
inline Scalar operator-(double x, Scalar y) { return y.constant(x) - y; }
inline Scalar operator*(double x, Scalar y) { return y.constant(x) * y; }
inline Scalar operator/(double x, Scalar y) { return y.constant(x) / y; }
inline Scalar operator<(Scalar x, double y) { return x < x.constant(y); }
inline Scalar operator<=(Scalar x, double y) { return x <= x.constant(y); }
inline Scalar operator>(Scalar x, double y) { return x > x.constant(y); }
inline Scalar operator>=(Scalar x, double y) { return x >= x.constant(y); }
inline Scalar operator==(Scalar x, double y) { return x == x.constant(y); }
inline Scalar operator!=(Scalar x, double y) { return x != x.constant(y); }
inline Scalar select(Scalar condition, Scalar x, double y) {
  return select(condition, x, x.constant(y));
}
inline Scalar select(Scalar condition, double x, Scalar y) {
  return select(condition, y.constant(x), y);
}

/// Implements buildScalar by a function of Scalars. For f16 and bf16 it
/// computes in f32 and rounds once.
mlir::Value apply(mlir::Operation *op, mlir::OpBuilder &b, mlir::Location loc,
                  mlir::ValueRange args, Scalar (*function)(Scalar));
mlir::Value apply(mlir::Operation *op, mlir::OpBuilder &b, mlir::Location loc,
                  mlir::ValueRange args, Scalar (*function)(Scalar, Scalar));
mlir::Value apply(mlir::Operation *op, mlir::OpBuilder &b, mlir::Location loc,
                  mlir::ValueRange args,
                  Scalar (*function)(Scalar, Scalar, Scalar));
/// As above for any callable and any operands.
mlir::Value
applyAll(mlir::Operation *op, mlir::OpBuilder &b, mlir::Location loc,
         mlir::ValueRange args,
         llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)> function);

} // namespace weir::graph

/// The functions of ops that need more than one operator.
namespace weir::graph::scalar {

// Arithmetic.cpp
Scalar add(Scalar x, Scalar y);
Scalar sub(Scalar x, Scalar y);
Scalar mul(Scalar x, Scalar y);
Scalar div(Scalar x, Scalar y);
Scalar neg(Scalar x);
Scalar abs(Scalar x);
Scalar sign(Scalar x);
Scalar square(Scalar x);
Scalar reciprocal(Scalar x);
Scalar floor(Scalar x);
Scalar ceil(Scalar x);
Scalar round(Scalar x);
Scalar trunc(Scalar x);
Scalar floorDiv(Scalar x, Scalar y);
Scalar mod(Scalar x, Scalar y);
Scalar floorMod(Scalar x, Scalar y);
Scalar pow(Scalar x, Scalar y);
Scalar maximum(Scalar x, Scalar y);
Scalar minimum(Scalar x, Scalar y);
Scalar squaredDifference(Scalar x, Scalar y);
Scalar divNoNan(Scalar x, Scalar y);
Scalar mulNoNan(Scalar x, Scalar y);
Scalar clamp(Scalar x, Scalar low, Scalar high);
Scalar shiftLeft(Scalar x, Scalar y);
Scalar shiftRight(Scalar x, Scalar y);
Scalar populationCount(Scalar x);
Scalar nextAfter(Scalar x, Scalar y);
Scalar isNan(Scalar x);
Scalar isInf(Scalar x);
Scalar isFinite(Scalar x);
Scalar equal(Scalar x, Scalar y);
Scalar notEqual(Scalar x, Scalar y);
Scalar less(Scalar x, Scalar y);
Scalar lessEqual(Scalar x, Scalar y);
Scalar greater(Scalar x, Scalar y);
Scalar greaterEqual(Scalar x, Scalar y);
Scalar bitAnd(Scalar x, Scalar y);
Scalar bitOr(Scalar x, Scalar y);
Scalar bitXor(Scalar x, Scalar y);
Scalar bitNot(Scalar x);

// Math.cpp
Scalar exp(Scalar x);
Scalar expm1(Scalar x);
Scalar log(Scalar x);
Scalar log1p(Scalar x);
Scalar sqrt(Scalar x);
Scalar rsqrt(Scalar x);
Scalar sin(Scalar x);
Scalar cos(Scalar x);
Scalar tan(Scalar x);
Scalar asin(Scalar x);
Scalar acos(Scalar x);
Scalar atan(Scalar x);
Scalar sinh(Scalar x);
Scalar cosh(Scalar x);
Scalar tanh(Scalar x);
Scalar asinh(Scalar x);
Scalar acosh(Scalar x);
Scalar atanh(Scalar x);
Scalar erf(Scalar x);
Scalar atan2(Scalar x, Scalar y);
Scalar xlogy(Scalar x, Scalar y);
Scalar xdivy(Scalar x, Scalar y);
Scalar xlog1py(Scalar x, Scalar y);
Scalar sigmoid(Scalar x);
Scalar softplus(Scalar x);
Scalar softsign(Scalar x);
Scalar relu(Scalar x);
Scalar relu6(Scalar x);
Scalar elu(Scalar x);
Scalar selu(Scalar x);

// Special.cpp: computed in f64, rounded to the operand's type.
Scalar erfc(Scalar x);
Scalar lgamma(Scalar x);
Scalar digamma(Scalar x);

// SpecialLoops.cpp
Scalar igamma(Scalar a, Scalar x);
Scalar igammac(Scalar a, Scalar x);
Scalar zeta(Scalar x, Scalar q);
Scalar polygamma(Scalar n, Scalar x);
Scalar betainc(Scalar a, Scalar b, Scalar x);

} // namespace weir::graph::scalar

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE_SCALAR_H
