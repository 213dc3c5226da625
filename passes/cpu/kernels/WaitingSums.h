// Long sums in parts: what has been summed waits in memory meanwhile.

#ifndef WEIR_PASSES_CPU_KERNELS_WAITINGSUMS_H
#define WEIR_PASSES_CPU_KERNELS_WAITINGSUMS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

/// The rounding errors of a sum grow with the length of its chain of additions:
/// chains of about `chain` terms, which are then added up, keep them small.
struct WaitingSums {
  using Step = std::function<void(mlir::Value, Emitter::Values &)>;

  /// Steps of an iteration: `unroll` of `count`, or twice as many where that
  /// would be two iterations. Of such a loop LLVM makes a choice of two
  /// constants, and computes the address of each factor anew.
  static int64_t straightened(int64_t count, int64_t unroll) {
    return count / unroll == 2 ? 2 * unroll : unroll;
  }

  Emitter &e;
  int64_t chain;
  /// Whether the sums at hand leave no registers to those that wait.
  bool fewRegisters;

  /// `count` steps in one chain.
  Emitter::Values run(int64_t count, int64_t unroll, Emitter::Values sums,
                      llvm::function_ref<Step(int64_t)> steps);

  /// `count` steps added to `sums`; `steps(n)` emits `n` of them, of which
  /// `unroll` make an iteration. The steps see several sets of sums, one after
  /// the other, which take turns and in the end are added up. `each` is how
  /// many terms a step adds.
  Emitter::Values loop(int64_t count, int64_t unroll, Emitter::Values sums,
                       llvm::function_ref<Step(int64_t)> steps,
                       int64_t sets = 1, int64_t each = 1);
};

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_WAITINGSUMS_H
