// ONNX's files, from bytes to a module.

#ifndef WEIR_COMPILER_IMPORT_ONNX_FRONTEND_H
#define WEIR_COMPILER_IMPORT_ONNX_FRONTEND_H

#include "compiler/import/Import.h"
#include "compiler/import/Report.h"
#include "compiler/inspect/Summary.h"

namespace weir::onnx {

/// Whether a file that begins with these bytes is a model of ONNX's, binary or
/// as text.
bool recognizes(llvm::StringRef head);

mlir::OwningOpRef<mlir::ModuleOp> importModel(Report &report,
                                              const ImportOptions &options);

std::optional<ModelSummary>
summarize(Report &report, const ImportOptions &options, bool wantsValues);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_FRONTEND_H
