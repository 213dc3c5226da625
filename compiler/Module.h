// IR as the compiler's input: what a stage printed, or a person wrote.

#ifndef WEIR_COMPILER_MODULE_H
#define WEIR_COMPILER_MODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace weir {

/// Reads IR of a stage up to `grad` from a file. Null after an error on the
/// context's diagnostic engine: text that does not parse, an op of a later
/// stage, or a constant whose values are not in the file.
mlir::OwningOpRef<mlir::ModuleOp> readModule(mlir::MLIRContext *context,
                                             llvm::StringRef path);

} // namespace weir

#endif // WEIR_COMPILER_MODULE_H
