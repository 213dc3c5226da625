// The surroundings of a kernel that limit its schedule.

#ifndef WEIR_PASSES_CPU_SCHEDULE_KERNELCONTEXT_H
#define WEIR_PASSES_CPU_SCHEDULE_KERNELCONTEXT_H

#include "passes/cpu/Sharing.h"

namespace weir::cpu {

struct KernelContext {
  /// Whether the kernel is in no loop. Work items in a loop would be a parallel
  /// region in each of its iterations.
  bool inFunction;
  /// The row blocks of the function, if it is part of a row-wise fusion.
  std::optional<RowBlocks> rowBlocks;
  /// Threads that share the work, at most.
  int64_t threads;

  static KernelContext of(mlir::Operation *kernel);

  /// Whether threads share work that takes so many cycles of a core. A kernel
  /// of a row-wise fusion is shared anyhow.
  bool isShared(double cycles) const {
    return inFunction && (cycles >= kernel::worthSharingCycles || rowBlocks);
  }
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_SCHEDULE_KERNELCONTEXT_H
