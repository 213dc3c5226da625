// What is left behind where the compiler itself fails.

#ifndef WEIR_COMPILER_REPRODUCER_H
#define WEIR_COMPILER_REPRODUCER_H

#include "compiler/Options.h"

namespace weir {

/// Compiles once more, up to where `stage` begins, and writes the IR that it
/// fails on to a file of its own among the system's temporary ones. Says where
/// that is and what to run; the file has the model's names and small constants,
/// and zeros for its weights. `stage` is what `compile` says that it was at.
void writeReproducer(mlir::MLIRContext *context, Options options,
                     llvm::StringRef stage);

/// Makes constants of many elements zeros, in `module` and in its attributes.
void dropWeights(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_COMPILER_REPRODUCER_H
