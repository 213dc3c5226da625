// The cost of loops that are no kernels, and of work items.

#ifndef WEIR_DIALECTS_KERNEL_COST_LOOPCOST_H
#define WEIR_DIALECTS_KERNEL_COST_LOOPCOST_H

#include "dialects/kernel/cost/Cost.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::kernel {

/// Cycles of the loops of an op on scalars and as vectors, without those for
/// memory.
double scalarCycles(mlir::linalg::LinalgOp op);
double vectorCycles(mlir::linalg::LinalgOp op);

/// Smaller work items would cost more to start than to run.
constexpr double workItemCycles = 16000;
constexpr int64_t maxWorkItems = 128;

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_COST_LOOPCOST_H
