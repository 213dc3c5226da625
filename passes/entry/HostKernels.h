// Moves the kernels that the host of a GPU runs to the module of the entries.

#ifndef WEIR_PASSES_ENTRY_HOSTKERNELS_H
#define WEIR_PASSES_ENTRY_HOSTKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace weir::entry {

/// Moves the host's kernels, in the LLVM dialect, into the module of the
/// entries, which call them.
llvm::LogicalResult takeHostKernels(mlir::ModuleOp module);

} // namespace weir::entry

#endif // WEIR_PASSES_ENTRY_HOSTKERNELS_H
