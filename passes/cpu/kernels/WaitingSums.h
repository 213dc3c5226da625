// Long sums in parts: what has been summed waits in memory meanwhile.

#ifndef WEIR_PASSES_CPU_KERNELS_WAITINGSUMS_H
#define WEIR_PASSES_CPU_KERNELS_WAITINGSUMS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

/// The rounding errors of a sum grow with the length of its chain of additions:
/// chains of about `chain` terms, which are then added up, keep them small.
struct WaitingSums {
  /// Adds the terms of as many steps as the number says, from this one on.
  using Steps =
      llvm::function_ref<void(mlir::Value, int64_t, Emitter::Values &)>;

  Emitter &e;
  int64_t chain;
  /// Whether the current sums leave no registers for spilled partial sums.
  bool sumsFillRegisters;
  /// Steps from here on are left out; null for none.
  mlir::Value end = nullptr;

  /// `count` steps in one chain.
  Emitter::Values run(int64_t count, int64_t unroll, Emitter::Values sums,
                      Steps steps);

  /// `count` steps added to `sums`, of which `unroll` make an iteration. The
  /// steps see several sets of sums, one after the other, which take turns and
  /// in the end are added up. `each` is how many terms a step adds.
  Emitter::Values loop(int64_t count, int64_t unroll, Emitter::Values sums,
                       Steps steps, int64_t sets = 1, int64_t each = 1);

private:
  Emitter::Values some(mlir::Value first, int64_t count, int64_t unroll,
                       mlir::ValueRange sums, Steps steps);
};

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_WAITINGSUMS_H
