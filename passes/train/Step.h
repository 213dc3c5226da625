// Builds the part of a training step after the loss: gradients and updates.

#ifndef WEIR_PASSES_TRAIN_STEP_H
#define WEIR_PASSES_TRAIN_STEP_H

#include "dialects/graph/loss/Recipe.h"
#include "passes/train/Optimizers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::train {

/// Extends a function that returns its loss: it assigns the trained variables
/// on which the loss depends. Optimizer state becomes new variables of the
/// module; `hasFirstValues` tells whether they have initial values. An error if
/// there is nothing to train.
mlir::LogicalResult buildStep(mlir::func::FuncOp function, const Recipe &recipe,
                              const Optimizer &optimizer, bool hasFirstValues);

} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_STEP_H
