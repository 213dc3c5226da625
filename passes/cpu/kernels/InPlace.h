// Finds the inputs of a kernel that each loop reads only at the element that it
// then writes.

#ifndef WEIR_PASSES_CPU_KERNELS_INPLACE_H
#define WEIR_PASSES_CPU_KERNELS_INPLACE_H

#include "dialects/kernel/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir::cpu {

/// The arguments of `function` whose only use is the epilogue of the last of
/// its `kernels`, at the element of the result: `finishTile` loads them before
/// it stores. Empty if there are other ops, or if the last argument is not the
/// only output.
llvm::SmallVector<int64_t>
readByEpilogue(mlir::func::FuncOp function,
               llvm::ArrayRef<mlir::Operation *> kernels);

/// Whether loops write `buffer` and never read it, not even as spilled partial
/// sums.
bool isOnlyWritten(mlir::Value buffer);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_INPLACE_H
