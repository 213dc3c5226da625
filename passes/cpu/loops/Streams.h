// Finds the buffers that loops read as streams from beyond L2.

#ifndef WEIR_PASSES_CPU_LOOPS_STREAMS_H
#define WEIR_PASSES_CPU_LOOPS_STREAMS_H

#include "dialects/kernel/Target.h"
#include "passes/cpu/loops/LoopNest.h"

#include "llvm/ADT/DenseSet.h"

namespace weir::cpu {

/// Selects buffers of 32-bit elements, if the part that a thread reads exceeds
/// its L2. They are prefetched at their first use in a block. None is selected
/// if the hardware prefetches streams as well.
class Streams {
public:
  Streams(const kernel::Target &target, int64_t threads)
      : fetches(target.fetchesStreams()), bytesOfThreads(target.l2 * threads) {}

  /// The prefetch distance in elements, if the loops of `nest` are the first
  /// use of the operand's buffer.
  std::optional<int64_t> begin(const LoopNest &nest, mlir::OpOperand &operand);

private:
  bool fetches;
  int64_t bytesOfThreads; // of L2 of all threads
  llvm::DenseSet<std::pair<mlir::Block *, mlir::Value>> begun;
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_STREAMS_H
