// Which buffers loops read as streams from beyond L2.

#ifndef WEIR_PASSES_CPU_LOOPS_STREAMS_H
#define WEIR_PASSES_CPU_LOOPS_STREAMS_H

#include "dialects/kernel/Target.h"
#include "passes/cpu/loops/LoopNest.h"

#include "llvm/ADT/DenseSet.h"

namespace weir {

/// Buffers of 32-bit elements of which each of `threads` reads more than its L2
/// holds, each to be fetched where a block of ops first reads it; none where
/// the processor fetches streams as well by itself.
class Streams {
public:
  Streams(const kernel::Target &target, int64_t threads)
      : fetches(target.fetchesStreams()), bytesOfThreads(target.l2 * threads) {}

  /// How many elements ahead to fetch where the loops of `nest` begin to read
  /// one.
  std::optional<int64_t> begin(const LoopNest &nest, mlir::OpOperand &operand);

private:
  bool fetches;
  int64_t bytesOfThreads; // of all their L2
  llvm::DenseSet<std::pair<mlir::Block *, mlir::Value>> begun;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_STREAMS_H
