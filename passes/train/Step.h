// The part of a step that follows its loss: gradients, and what an optimizer
// makes of them.

#ifndef WEIR_PASSES_TRAIN_STEP_H
#define WEIR_PASSES_TRAIN_STEP_H

#include "dialects/graph/loss/Recipe.h"
#include "passes/train/Optimizers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::train {

/// Has a function that gives its loss assign the trained variables that this
/// depends on, and what is kept for them, in new variables of the module;
/// `hasFirstValues` says whether these have any. An error where there is
/// nothing to train.
mlir::LogicalResult buildStep(mlir::func::FuncOp function, const Recipe &recipe,
                              const Optimizer &optimizer, bool hasFirstValues);

} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_STEP_H
