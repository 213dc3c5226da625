// Adds the cost of memory to the costs of loops that all stages know.

#ifndef WEIR_PASSES_CPU_SHARING_H
#define WEIR_PASSES_CPU_SHARING_H

#include "dialects/kernel/Sharing.h"
#include "dialects/kernel/cost/LoopCost.h"

namespace weir::cpu {

/// Cycles of the loops of an op on buffers.
double loopCycles(mlir::linalg::LinalgOp op);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SHARING_H
