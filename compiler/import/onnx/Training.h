// The entry that a loss is of, and the initializers that are trained.

#ifndef WEIR_COMPILER_IMPORT_ONNX_TRAINING_H
#define WEIR_COMPILER_IMPORT_ONNX_TRAINING_H

#include "compiler/import/onnx/Entry.h"

namespace weir::onnx {

/// The entry that the options' loss is of.
mlir::FailureOr<Entry> trainingEntry(Report &report, const Model &model,
                                     const ImportOptions &options);
/// Makes variables of the initializers that the entry needs and the options
/// train, and of the running statistics that its nodes move in each step.
mlir::LogicalResult declareTrained(Report &report, mlir::ModuleOp module,
                                   Model &model, const Entry &entry,
                                   const ImportOptions &options,
                                   Trained &trained);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_TRAINING_H
