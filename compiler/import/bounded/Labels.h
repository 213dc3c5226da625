// The labels of an output whose sizes are known only at run time, for a loss.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_LABELS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_LABELS_H

#include "compiler/import/Import.h"
#include "compiler/import/Traced.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// The tensors that a loss compares, in buffers of the same bounds.
struct Compared {
  mlir::Value output;
  /// Null if there are none, or for a new input without dynamic sizes.
  mlir::Value labels = {};
  /// The dimensions of the output that only the run knows, and the list of its
  /// sizes; null where the run knows none.
  llvm::SmallVector<int64_t> dynamicDims = {};
  mlir::Value sizes = {};
};

/// What the loss compares at the builder's position in the function: where the
/// output has a size that only the run knows, labels in a buffer of the same
/// bounds with zeros beyond the sizes. Labels that the model lacks (no value)
/// are then an input, with their shape as another one; a check sees to it that
/// labels have the output's sizes.
Compared compared(mlir::OpBuilder &builder, mlir::func::FuncOp function,
                  Traced output, Traced labels, const LossRequest &loss);

/// Completes the entry that a loss is of, which returns an output, labels where
/// the model has them, and the sizes of both. Where the output has a size that
/// only the run knows, the entry returns the output, the labels and the
/// output's sizes.
void addLabels(mlir::func::FuncOp function, const LossRequest &loss);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_LABELS_H
