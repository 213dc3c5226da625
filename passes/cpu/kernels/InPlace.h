// Which inputs a kernel's loops read only where they then write.

#ifndef WEIR_PASSES_CPU_KERNELS_INPLACE_H
#define WEIR_PASSES_CPU_KERNELS_INPLACE_H

#include "dialects/kernel/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weir {

/// The arguments of `function` that nothing reads but the epilogue of the last
/// of its `kernels`, each element for the result of its own place: `finishTile`
/// reads them before it stores. None where other ops stand beside the kernels,
/// or the last argument is not the only output.
llvm::SmallVector<int64_t>
readByEpilogue(mlir::func::FuncOp function,
               llvm::ArrayRef<mlir::Operation *> kernels);

/// Whether loops write `buffer` and never read it: no sums wait there.
bool isOnlyWritten(mlir::Value buffer);

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_INPLACE_H
