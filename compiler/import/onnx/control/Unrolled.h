// Steps of a loop that are traced one after the other.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CONTROL_UNROLLED_H
#define WEIR_COMPILER_IMPORT_ONNX_CONTROL_UNROLLED_H

#include "compiler/import/onnx/control/Loops.h"

namespace weir::onnx {

/// What steps that were traced one after the other have given so far.
class Unrolled {
public:
  explicit Unrolled(const Steps &steps)
      : variables(steps.variables), goesOn(steps.goesOn),
        collected(steps.collected) {}

  /// Takes what a step gives: whether to go on, the variables, and a part of
  /// each collected result. Why it cannot, or nothing.
  llvm::StringRef take(Node &node, llvm::ArrayRef<Traced> given);

  /// The variables and what was collected; nothing where no step gave a part.
  mlir::FailureOr<std::optional<llvm::SmallVector<Traced>>>
  results(Node &node) const;

  llvm::SmallVector<Traced> variables;
  Expr goesOn;

private:
  llvm::SmallVector<llvm::SmallVector<Traced>> collected;
};

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CONTROL_UNROLLED_H
