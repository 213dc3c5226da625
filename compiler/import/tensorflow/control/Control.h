// Building blocks of every kind of control flow: branches and loops over what
// edges carry.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROL_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROL_H

#include "compiler/import/bounded/Conditional.h"
#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

/// A scalar Boolean by TensorFlow's rules: a nonzero number, or a tensor that
/// is not empty.
mlir::FailureOr<mlir::Value> scalarBoolean(Node &node, const Traced &condition);

struct Loop {
  using Step = std::function<mlir::FailureOr<llvm::SmallVector<Traced>>(
      llvm::ArrayRef<Traced>)>;
  llvm::SmallVector<Traced> inits;
  /// Variables that the body hands on as they are.
  llvm::SmallVector<bool> invariant;
  /// Returns one scalar Boolean.
  Step condition;
  /// Gives the variables' next values.
  Step body;
};

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROL_H
