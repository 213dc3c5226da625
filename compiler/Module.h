// IR as the compiler's input: what a stage printed, or a person wrote.

#ifndef WEIR_COMPILER_MODULE_H
#define WEIR_COMPILER_MODULE_H

#include "compiler/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace weir {

/// Reads IR of any stage from a file. Null, and a status, after an error on the
/// context's diagnostic engine: text that does not parse, or MLIR's binary form
/// where it is not trusted, since its reader may crash on bytes that are not
/// MLIR's own.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(mlir::MLIRContext *context,
                                              llvm::StringRef path,
                                              bool trustsBytecode,
                                              Status &status);

/// Likewise, of a stage up to `grad`: an op of a later stage, or a constant
/// whose values are not in the file, is an error, too.
mlir::OwningOpRef<mlir::ModuleOp> readModule(mlir::MLIRContext *context,
                                             llvm::StringRef path,
                                             bool trustsBytecode,
                                             Status &status);

/// The model's name of a tensor, and what it is to be called.
using TensorNames = llvm::ArrayRef<std::pair<std::string, std::string>>;

/// Calls what functions take and give as the lists say. A tensor that one gives
/// twice may have two names; what has none left keeps its own.
void nameTensors(mlir::ModuleOp module, TensorNames inputs,
                 TensorNames outputs);

} // namespace weir

#endif // WEIR_COMPILER_MODULE_H
