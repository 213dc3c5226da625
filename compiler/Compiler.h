// The compiler as one function, which the tools call.

#ifndef WEIR_COMPILER_COMPILER_H
#define WEIR_COMPILER_COMPILER_H

#include "compiler/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace weir {

/// The program that the stages after `import` compile. Null after an error,
/// with its status.
mlir::OwningOpRef<mlir::ModuleOp> importProgram(mlir::MLIRContext *context,
                                                const Options &options,
                                                Status &status);

/// Reads the model, runs the stages and writes the product, or prints the IR of
/// the stage asked for. Errors go to the context's diagnostic engine and, where
/// no location can have them, to stderr. `progress` is told of the stages,
/// which are those of Pipeline.h and `emit`.
Status compile(mlir::MLIRContext *context, const Options &options,
               Progress *progress = nullptr);

} // namespace weir

#endif // WEIR_COMPILER_COMPILER_H
