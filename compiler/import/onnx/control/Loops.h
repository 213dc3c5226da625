// Steps over what edges carry, one after the other.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CONTROL_LOOPS_H
#define WEIR_COMPILER_IMPORT_ONNX_CONTROL_LOOPS_H

#include "compiler/import/onnx/Operands.h"

#include <functional>

namespace weir::onnx {

/// A loop: variables that each step makes anew, and tensors that it gives
/// besides, which all steps' make one of.
struct Steps {
  /// The most steps, a scalar i64; without a value where there is no limit.
  Expr limit;
  /// A scalar Boolean: whether the first iteration runs.
  Expr goesOn;
  llvm::SmallVector<Traced> variables;
  /// How many tensors a step gives besides.
  unsigned collected = 0;
  /// Makes of the step's number and of the variables: whether another step may
  /// follow, the variables' next values, and what is collected.
  std::function<mlir::FailureOr<llvm::SmallVector<Traced>>(
      Expr step, Expr goesOn, llvm::ArrayRef<Traced> variables)>
      body;
  /// The results of the node that are collected begin with this one.
  unsigned firstCollected = 0;
};

/// The last values of the variables, then what was collected, along a new first
/// dimension: by a graph.while or, where types change from step to step or the
/// body needs to know its variables, by the steps one after the other.
mlir::FailureOr<llvm::SmallVector<Traced>> buildSteps(Node &node,
                                                      const Steps &steps);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CONTROL_LOOPS_H
