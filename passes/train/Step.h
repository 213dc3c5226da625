// The part of a step that follows its loss: gradients, and what an optimizer
// makes of them.

#ifndef WEIR_PASSES_TRAIN_STEP_H
#define WEIR_PASSES_TRAIN_STEP_H

#include "passes/train/Optimizers.h"
#include "passes/train/Recipe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::train {

graph::build::Expr sumOfAll(graph::build::Expr x);

/// Adds an input to a function, behind the others.
mlir::Value addInput(mlir::func::FuncOp function, mlir::RankedTensorType type,
                     llvm::StringRef name);

/// Has a function that gives its loss assign the trained variables that this
/// depends on, and what is kept for them, in new variables of the module;
/// `hasFirstValues` says whether these have any. An error where there is
/// nothing to train.
mlir::LogicalResult buildStep(mlir::func::FuncOp function, const Recipe &recipe,
                              const Optimizer &optimizer, bool hasFirstValues);

} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_STEP_H
