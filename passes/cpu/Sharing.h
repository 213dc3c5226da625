// Adds the cost of memory to the costs of loops that all stages know.

#ifndef WEIR_PASSES_CPU_SHARING_H
#define WEIR_PASSES_CPU_SHARING_H

#include "dialects/kernel/Sharing.h"
#include "dialects/kernel/cost/LoopCost.h"

namespace weir::cpu {

/// Cycles of the loops of an op on buffers.
double loopCycles(mlir::linalg::LinalgOp op);

/// Cycles of a kernel's loops, and the part of them that one thread computes.
struct LoopCycles {
  double total = 0, sequential = 0;

  /// Of all loops of a function on buffers that are no kernel ops. No value if
  /// the iterations of a loop are unknown, or if it has kernel ops.
  static std::optional<LoopCycles> of(mlir::Operation *function);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SHARING_H
