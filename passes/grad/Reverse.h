// Reverse-mode differentiation of the ops of one block.

#ifndef WEIR_PASSES_GRAD_REVERSE_H
#define WEIR_PASSES_GRAD_REVERSE_H

#include "dialects/graph/Graph.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace weir::grad {

using Values = llvm::SmallVector<mlir::Value>;

/// The values that depend on `variables` and may have a gradient, among the
/// results of ops in [first, last) of a block. The set includes the variables.
llvm::DenseSet<mlir::Value> dependents(mlir::Block::iterator first,
                                       mlir::Block::iterator last,
                                       mlir::ValueRange variables);

/// The values that ops in regions of `op` use and that are defined outside of
/// it.
llvm::SetVector<mlir::Value> captures(mlir::Operation *op);

/// Whether values of this type have gradients.
bool hasGradient(mlir::Type type);

/// Returns the gradients of `variables`, each with its variable's type, from
/// those of `results`. The ops are built before `at`, which is in the block of
/// the ops between them. A null seed is zero, and so is a null gradient. Fails
/// with an error at an op without a derivative.
mlir::FailureOr<Values> reverse(mlir::Operation *at, mlir::ValueRange results,
                                llvm::ArrayRef<mlir::Value> seeds,
                                mlir::ValueRange variables);

/// The gradients of the operands and captures of an op with regions, one for
/// each of `wanted`. A loop is replaced by one that counts its iterations and
/// may save its states; the results of the old loop come first.
mlir::FailureOr<Values> reverseIf(mlir::OpBuilder &b, graph::IfOp op,
                                  llvm::ArrayRef<mlir::Value> seeds,
                                  mlir::ValueRange wanted);
mlir::FailureOr<Values> reverseWhile(mlir::OpBuilder &b, graph::WhileOp &op,
                                     llvm::ArrayRef<mlir::Value> seeds,
                                     mlir::ValueRange wanted);

/// The location of the gradient ops of `op`: that of the op, with the name
/// `gradients/NODE`.
mlir::Location gradientLocation(mlir::Location of);

} // namespace weir::grad

#endif // WEIR_PASSES_GRAD_REVERSE_H
