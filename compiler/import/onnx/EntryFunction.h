// Traces what lies between inputs and outputs into a function.

#ifndef WEIR_COMPILER_IMPORT_ONNX_ENTRYFUNCTION_H
#define WEIR_COMPILER_IMPORT_ONNX_ENTRYFUNCTION_H

#include "compiler/import/onnx/Entry.h"

namespace weir::onnx {

/// Traces the entry into a function of the module. All entries have the same
/// tracer, which reads each constant once.
mlir::LogicalResult buildEntry(Report &report, mlir::ModuleOp module,
                               Entry entry, const Trained &trained,
                               const ImportOptions &options, Tracer &tracer);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_ENTRYFUNCTION_H
