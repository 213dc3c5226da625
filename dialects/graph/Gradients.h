// The interface between a derivative rule and the pass that applies it.

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

/// The gradients of one op. The rule reads those of the results and sets those
/// of the requested operands. A gradient has the type of its value.
class Gradients {
public:
  /// `results` has a gradient for each result, or null if the loss does not
  /// depend on it. `wanted` has a bit for each operand.
  Gradients(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
            llvm::ArrayRef<mlir::Value> results, llvm::BitVector wanted)
      : b(b), op(op), results(results), wanted(std::move(wanted)),
        operands(op->getNumOperands()) {}

  /// The gradient of result `i`; zeros if the loss does not depend on it.
  Expr of(unsigned i);
  bool has(unsigned i) const { return static_cast<bool>(results[i]); }

  Expr result(unsigned i) { return Expr(b, op->getResult(i)); }
  Expr operand(unsigned i) { return Expr(b, op->getOperand(i)); }
  bool wants(unsigned i) const { return wanted.test(i); }

  /// Sets the gradient of operand `i`. An empty Expr means that the operand has
  /// no derivative.
  void give(unsigned i, Expr gradient);

  /// The gradient of operand `i`; null means zeros.
  mlir::Value given(unsigned i) const { return operands[i]; }
  /// The first operand without a derivative, if there is one.
  std::optional<unsigned> refused;

  mlir::ImplicitLocOpBuilder &b;

private:
  mlir::Operation *op;
  llvm::SmallVector<mlir::Value> results;
  llvm::BitVector wanted;
  llvm::SmallVector<mlir::Value> operands;
};

/// The derivative in an op's definition. It is specialized with the op's
/// methods, and so is the rule of an op with formulas.
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

// Attaches the rules of all ops of a family when the dialect is loaded.
void attachCoreDerivatives(mlir::MLIRContext *context);
void attachElementwiseDerivatives(mlir::MLIRContext *context);
void attachGradientDerivatives(mlir::MLIRContext *context);
void attachIndexDerivatives(mlir::MLIRContext *context);
void attachLinearDerivatives(mlir::MLIRContext *context);
void attachNeuralDerivatives(mlir::MLIRContext *context);
void attachReduceDerivatives(mlir::MLIRContext *context);
void attachShapeDerivatives(mlir::MLIRContext *context);

/// A splat constant of the shape of `x`.
Expr filledLike(Expr x, double value);
/// Whether each element is above 0.
Expr positive(Expr x);
/// 1 for each element that is not 0, else 0.
Expr notZero(Expr x);
/// x y, but 0 if y is 0, even if x is infinite or NaN.
Expr productOrZero(Expr x, Expr y);
/// The logarithm, or 0 for elements that are not above 0.
Expr logOrZero(Expr x);
/// The density of the gamma distribution of this order at x, the derivative of
/// the regularized incomplete gamma function.
Expr gammaDensity(Expr order, Expr x);

/// The index of each element along `axis`, in i64 or another type.
Expr iota(mlir::ImplicitLocOpBuilder &b, mlir::Type elementType,
          llvm::ArrayRef<int64_t> shape, int64_t axis);
/// The lower or upper triangles of matrices, with zeros elsewhere. Without the
/// diagonal if `strict`.
Expr triangle(Expr x, bool lower, bool strict);

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_GRADIENTS_H
