// Gradients by filters: cuDNN computes them, or they become convolutions.

#ifndef WEIR_DIALECTS_LIBRARIES_FILTERGRADIENTS_H
#define WEIR_DIALECTS_LIBRARIES_FILTERGRADIENTS_H

#include "dialects/graph/Neural.h"
#include "dialects/libraries/Problem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::libraries {

/// The convolution whose gradient by the filter the op is.
Problem problemOf(graph::FilterGradientOp op);

/// Replaces each `graph.filter_gradient` of the function by a convolution,
/// except those that cuDNN computes: all that it supports if the module
/// requests that, or else those that should take less time. The stages graph
/// (for gradients of the model) and grad (for those that weir derives) call
/// this.
llvm::LogicalResult expandFilterGradients(mlir::func::FuncOp function);

} // namespace weir::libraries

#endif // WEIR_DIALECTS_LIBRARIES_FILTERGRADIENTS_H
