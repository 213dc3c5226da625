// The loss that options ask for, of an output and its labels.

#ifndef WEIR_DIALECTS_GRAPH_LOSS_FORMLOSS_H
#define WEIR_DIALECTS_GRAPH_LOSS_FORMLOSS_H

#include "dialects/graph/build/Expr.h"
#include "dialects/graph/loss/Recipe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace weir::train {

/// At least in f32.
graph::build::Expr inFull(graph::build::Expr x);
graph::build::Expr sumOfAll(graph::build::Expr x);

/// Adds an input to a function, behind the others.
mlir::Value addInput(mlir::func::FuncOp function, mlir::RankedTensorType type,
                     llvm::StringRef name);

/// The tensors that a loss compares.
struct LossOperands {
  mlir::Value output;
  /// Null: a new input of the function, or none where the output is the loss.
  mlir::Value labels = {};
  /// The dimensions of the output that only the run knows, and the list of all
  /// its sizes; none: all are those of the type.
  llvm::ArrayRef<int64_t> dynamicDims = {};
  mlir::Value sizes = {};
};

/// Builds the loss, a scalar, at the builder's position in the function. It is
/// computed at least in f32: sums of 16 bits are soon too large. Failure after
/// an error where the output can have no such loss.
mlir::FailureOr<mlir::Value> formLoss(mlir::OpBuilder &builder,
                                      mlir::func::FuncOp function,
                                      const LossOperands &operands,
                                      const Recipe &recipe);

} // namespace weir::train

#endif // WEIR_DIALECTS_GRAPH_LOSS_FORMLOSS_H
