// Verifies kernels that unpack weights of few bits.

#ifndef WEIR_DIALECTS_KERNEL_PACKED_H
#define WEIR_DIALECTS_KERNEL_PACKED_H

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/PackedWeights.h"

namespace weir::kernel {

/// Verifies (C3) to (C5) of kernel.matmul.
mlir::LogicalResult verifyEpilogue(KernelOpInterface op);
/// The same for a region of `op` that is the scalar function of an element of
/// `out` and of one of each extra.
mlir::LogicalResult verifyEpilogue(mlir::Operation *op, mlir::Region &function,
                                   mlir::OperandRange extras,
                                   mlir::ArrayAttr maps, mlir::ShapedType out);

} // namespace weir::kernel

#define GET_OP_CLASSES
#include "dialects/kernel/PackedOps.h.inc"

#endif // WEIR_DIALECTS_KERNEL_PACKED_H
