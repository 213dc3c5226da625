// Blocked summation: long sums are computed in chains, with spilled partial
// sums.

#ifndef WEIR_PASSES_CPU_KERNELS_BLOCKEDSUMS_H
#define WEIR_PASSES_CPU_KERNELS_BLOCKEDSUMS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

/// The rounding error of a sum grows with the length of its chain of additions.
/// Chains of about `chain` terms, whose results are then summed, keep it small.
struct BlockedSums {
  /// Adds the terms of so many steps, starting at the given one.
  using Steps =
      llvm::function_ref<void(mlir::Value, int64_t, Emitter::Values &)>;

  Emitter &e;
  int64_t chain;
  /// Whether the current sums leave no registers for spilled partial sums.
  bool sumsFillRegisters;
  /// Steps from this one on are skipped; null for none.
  mlir::Value end = nullptr;

  /// `count` steps in one chain.
  Emitter::Values run(int64_t count, int64_t unroll, Emitter::Values sums,
                      Steps steps);

  /// Adds `count` steps to `sums`, `unroll` in an iteration. Consecutive steps
  /// alternate between several sets of sums, which are added up in the end. A
  /// step adds `each` terms.
  Emitter::Values loop(int64_t count, int64_t unroll, Emitter::Values sums,
                       Steps steps, int64_t sets = 1, int64_t each = 1);

private:
  Emitter::Values some(mlir::Value first, int64_t count, int64_t unroll,
                       mlir::ValueRange sums, Steps steps);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_BLOCKEDSUMS_H
