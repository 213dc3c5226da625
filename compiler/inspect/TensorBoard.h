// Writes graphs for TensorBoard.

#ifndef WEIR_COMPILER_INSPECT_TENSORBOARD_H
#define WEIR_COMPILER_INSPECT_TENSORBOARD_H

#include "compiler/Options.h"

namespace weir {

/// Writes an event file for each graph, in a folder of its own in the folder of
/// `--tensorboard`: of a model the program after the import and that after the
/// stage `graph`, and of IR the program itself. Prints the names of the files.
Status writeTensorBoard(mlir::MLIRContext *context, const Options &options,
                        llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_COMPILER_INSPECT_TENSORBOARD_H
