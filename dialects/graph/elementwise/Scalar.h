// A language for scalar functions: a value with its builder, so that formulas
// read as formulas. Everything built here is total (no operand makes it trap or
// undefined) and without branches, except the loops of Special.cpp.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE_SCALAR_H
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE_SCALAR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace weir::graph {

/// One element of an operand, or what was computed of it. The type is signless;
/// whether an integer is a signed number is kept beside it.
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

  /// A number of this type.
  Scalar constant(double number) const;
  Scalar constant(const llvm::APInt &number) const;
  /// The extreme numbers of this (integer) type.
  Scalar lowest() const;
  Scalar highest() const;
  /// The result of `Op` on `operands`, of the same signedness.
  template <typename Op, typename... Operands>
  Scalar make(Operands &&...operands) const {
    return Scalar(*b, loc, b->create<Op>(loc, operands...), isUnsigned);
  }
  /// Converted as TensorFlow's Cast does, saturating where C++ is undefined.
  Scalar to(mlir::Type type, bool toUnsigned = false) const;
  /// The same bits in a type of the same width.
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
/// Of integers: truncates; 0 where `y` is 0, and wraps.
Scalar operator/(Scalar x, Scalar y);
/// Ordered: false where either is not a number.
Scalar operator<(Scalar x, Scalar y);
Scalar operator<=(Scalar x, Scalar y);
Scalar operator>(Scalar x, Scalar y);
Scalar operator>=(Scalar x, Scalar y);
Scalar operator==(Scalar x, Scalar y);
/// True where either is not a number.
Scalar operator!=(Scalar x, Scalar y);
/// Bit by bit; also the logic of truth values.
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

/// What an op's buildScalar does with a function of Scalars: f16 and bf16
/// operands are computed in f32 and the result is rounded once.
mlir::Value apply(mlir::Operation *op, mlir::OpBuilder &b, mlir::Location loc,
                  mlir::ValueRange args, Scalar (*function)(Scalar));
mlir::Value apply(mlir::Operation *op, mlir::OpBuilder &b, mlir::Location loc,
                  mlir::ValueRange args, Scalar (*function)(Scalar, Scalar));
mlir::Value apply(mlir::Operation *op, mlir::OpBuilder &b, mlir::Location loc,
                  mlir::ValueRange args,
                  Scalar (*function)(Scalar, Scalar, Scalar));
/// The same for a function that is no plain pointer, of any operands.
mlir::Value
applyAll(mlir::Operation *op, mlir::OpBuilder &b, mlir::Location loc,
         mlir::ValueRange args,
         llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)> function);

} // namespace weir::graph

/// The functions, one for each op that is more than one operator.
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
