// The cost of loops that are no kernels, and of work items.

#ifndef WEIR_DIALECTS_KERNEL_COST_LOOPCOST_H
#define WEIR_DIALECTS_KERNEL_COST_LOOPCOST_H

#include "dialects/kernel/cost/Cost.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace weir::kernel {

/// Cycles of the loops of an op on scalars and as vectors, without those for
/// memory.
double scalarCycles(mlir::linalg::LinalgOp op);
double vectorCycles(mlir::linalg::LinalgOp op);

/// The iterations of a loop, if its bounds are constants, or are variables of
/// the loops around it: then the mean number.
std::optional<double> iterationsOf(mlir::scf::ForOp loop);

/// Cycles of an op in the body of a loop, without those for memory.
double scalarCycles(mlir::Operation *op);

/// Smaller work items would cost more to start than to run.
constexpr double workItemCycles = 16000;
constexpr int64_t maxWorkItems = 128;

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_COST_LOOPCOST_H
