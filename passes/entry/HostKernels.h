// The kernels that the host of a GPU runs itself.

#ifndef WEIR_PASSES_ENTRY_HOSTKERNELS_H
#define WEIR_PASSES_ENTRY_HOSTKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Moves them, in LLVM's dialect, into the module of the entries, which call
/// them.
llvm::LogicalResult takeHostKernels(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_PASSES_ENTRY_HOSTKERNELS_H
