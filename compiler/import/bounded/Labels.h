// The labels of an output whose sizes are known only at run time, for a loss.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_LABELS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_LABELS_H

#include "compiler/import/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// Completes the entry that a loss is of, which returns an output, labels where
/// the model has them, and the sizes of both. Where the output has a size that
/// only the run knows, the entry returns the output, labels in a buffer of the
/// same bounds with zeros beyond the sizes, and the output's sizes. Labels that
/// the model lacks are an input, with their shape as another one; a check sees
/// to it that labels have the output's sizes.
void addLabels(mlir::func::FuncOp function, const TrainingRequest &training);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_LABELS_H
