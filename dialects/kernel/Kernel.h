// The kernel dialect in C++: include this, never the generated files.

#ifndef WEIR_DIALECTS_KERNEL_KERNEL_H
#define WEIR_DIALECTS_KERNEL_KERNEL_H

#include "dialects/kernel/Layout.h"
#include "dialects/kernel/WinogradTransform.h"
#include "dialects/kernel/schedule/Schedule.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/kernel/KernelDialect.h.inc"
#include "dialects/kernel/KernelInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/kernel/KernelOps.h.inc"

namespace weir::kernel {

/// The type of sums of elements of `type`: f32 for f16 and bf16, else the type
/// itself.
mlir::Type sumType(mlir::Type type);

/// Whether the op can be applied to vectors.
bool isWidenable(mlir::Operation &op);

/// Verifies that all operands are tensors and the result has the destination's
/// type, or that all are memrefs and there is no result.
mlir::LogicalResult verifyForm(mlir::Operation *op);

/// Whether the epilogue of a kernel with a result of `rank` dimensions may
/// index an extra by `map`; (C5) of kernel.matmul.
bool isExtraMap(mlir::AffineMap map, unsigned rank);

/// Lets one-shot bufferization turn kernels on tensors into kernels on memrefs.
void registerBufferization(mlir::DialectRegistry &registry);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_KERNEL_H
