// What a derivative rule reads, and where it leaves what it makes.

#ifndef WEIR_DIALECTS_GRAPH_GRADIENTS_H
#define WEIR_DIALECTS_GRAPH_GRADIENTS_H

#include "dialects/graph/build/Expr.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/BitVector.h"

namespace weir::graph {
class Gradients;
} // namespace weir::graph

#include "dialects/graph/GradientEnums.h.inc"
#include "dialects/graph/GradientInterfaces.h.inc"

namespace weir::graph {

using build::Expr;

/// The gradients of one op: those of its results come in, those of the operands
/// that are wanted go out. A gradient has the type of its value.
class Gradients {
public:
  /// `results` has a value for each result, null where the loss does not depend
  /// on it; `wanted` a bit for each operand.
  Gradients(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
            llvm::ArrayRef<mlir::Value> results, llvm::BitVector wanted)
      : b(b), op(op), results(results), wanted(std::move(wanted)),
        operands(op->getNumOperands()) {}

  /// Of result `i`; zeros where the loss does not depend on it.
  Expr of(unsigned i);
  bool has(unsigned i) const { return static_cast<bool>(results[i]); }

  Expr result(unsigned i) { return Expr(b, op->getResult(i)); }
  Expr operand(unsigned i) { return Expr(b, op->getOperand(i)); }
  bool wants(unsigned i) const { return wanted.test(i); }

  /// The gradient of operand `i`. One without a value says that this operand
  /// has no derivative.
  void give(unsigned i, Expr gradient);

  /// What was given for operand `i`; null where nothing was, which is zeros.
  mlir::Value given(unsigned i) const { return operands[i]; }
  /// The first operand that has no derivative, where there is one.
  std::optional<unsigned> refused;

  mlir::ImplicitLocOpBuilder &b;

private:
  mlir::Operation *op;
  llvm::SmallVector<mlir::Value> results;
  llvm::BitVector wanted;
  llvm::SmallVector<mlir::Value> operands;
};

/// What the definition of an op says of its derivative; specialized with its
/// methods, as is the rule of one that has a formula.
template <typename Op>
constexpr Derivative derivativeOf = Derivative::none;
template <typename Op>
void rule(Op op, Gradients &gradients);

template <typename Op>
struct DerivativeModel
    : DifferentiableOpInterface::ExternalModel<DerivativeModel<Op>, Op> {
  Derivative derivative(mlir::Operation *) const { return derivativeOf<Op>; }
  void buildGradients(mlir::Operation *op, Gradients &gradients) const {
    if constexpr (derivativeOf<Op> == Derivative::rule)
      rule<Op>(llvm::cast<Op>(op), gradients);
  }
};

template <typename... Ops>
void attachDerivatives(mlir::MLIRContext *context) {
  (Ops::template attachInterface<DerivativeModel<Ops>>(*context), ...);
}

// Of all ops of a family, where the dialect is loaded.
void attachCoreDerivatives(mlir::MLIRContext *context);
void attachElementwiseDerivatives(mlir::MLIRContext *context);
void attachGradientDerivatives(mlir::MLIRContext *context);
void attachIndexDerivatives(mlir::MLIRContext *context);
void attachLinearDerivatives(mlir::MLIRContext *context);
void attachNeuralDerivatives(mlir::MLIRContext *context);
void attachReduceDerivatives(mlir::MLIRContext *context);
void attachShapeDerivatives(mlir::MLIRContext *context);

/// A constant of one value, of the shape of `x`.
Expr filledLike(Expr x, double value);
/// Whether each element is above 0.
Expr positive(Expr x);
/// 1 where an element is not 0, else 0.
Expr notZero(Expr x);
/// x y, but 0 where y is, be x infinite or not a number.
Expr productOrZero(Expr x, Expr y);
/// Logarithms, 0 where an element is not above 0.
Expr logOrZero(Expr x);
/// The density of the gamma distribution of this order at x, by which the
/// regularised incomplete gamma function grows.
Expr gammaDensity(Expr order, Expr x);

/// Each element's index along `axis`, in i64 or another element type.
Expr iota(mlir::ImplicitLocOpBuilder &b, mlir::Type elementType,
          llvm::ArrayRef<int64_t> shape, int64_t axis);
/// The lower (upper) triangles of matrices, zeros elsewhere; without the
/// diagonal where `strict`.
Expr triangle(Expr x, bool lower, bool strict);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_GRADIENTS_H
