// Reverse mode over the ops of one block.

#ifndef WEIR_PASSES_GRAD_REVERSE_H
#define WEIR_PASSES_GRAD_REVERSE_H

#include "dialects/graph/Graph.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace weir {

using Values = llvm::SmallVector<mlir::Value>;

/// The values that depend on `variables` and may have a gradient, among the
/// results of ops in [first, last) of a block; the variables are in it.
llvm::DenseSet<mlir::Value> dependents(mlir::Block::iterator first,
                                       mlir::Block::iterator last,
                                       mlir::ValueRange variables);

/// The values that ops in regions of `op` use and that are defined outside of
/// it.
llvm::SetVector<mlir::Value> captures(mlir::Operation *op);

/// Whether values of this type have gradients.
bool hasGradient(mlir::Type type);

/// The gradients of `variables`, each with its variable's type, from those of
/// `results`, in ops built before `at`, which is in the block of the ops
/// between them. A null seed is one of zeros; a null gradient is zero. Failure
/// after an error at an op without a derivative.
mlir::FailureOr<Values> reverse(mlir::Operation *at, mlir::ValueRange results,
                                llvm::ArrayRef<mlir::Value> seeds,
                                mlir::ValueRange variables);

/// The gradients of what an op with regions uses: of each of `wanted`, values
/// from outside that are operands or captures of it. A loop is replaced by one
/// that counts its steps, whose results come first, and may save its states.
mlir::FailureOr<Values> reverseIf(mlir::OpBuilder &b, graph::IfOp op,
                                  llvm::ArrayRef<mlir::Value> seeds,
                                  mlir::ValueRange wanted);
mlir::FailureOr<Values> reverseWhile(mlir::OpBuilder &b, graph::WhileOp &op,
                                     llvm::ArrayRef<mlir::Value> seeds,
                                     mlir::ValueRange wanted);

/// Where the gradient ops of `op` stand: at its place, under the name
/// `gradients/NODE`.
mlir::Location gradientLocation(mlir::Location of);

} // namespace weir

#endif // WEIR_PASSES_GRAD_REVERSE_H
