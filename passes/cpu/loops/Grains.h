// Loops cut into grains, which threads share.

#ifndef WEIR_PASSES_CPU_LOOPS_GRAINS_H
#define WEIR_PASSES_CPU_LOOPS_GRAINS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

/// A grain of lanes is whole vectors, of any target.
constexpr int64_t laneGrain = 256;

/// How many of a loop's `range` values a grain takes, a multiple of `step`, of
/// loops that take `time` nanoseconds. It depends on these alone, so that each
/// element is computed by the same code however many threads there are. `range`
/// or more where there is nothing to share.
int64_t grainSize(double time, int64_t range, int64_t step);

/// Emits a kernel.parts of grains of `size` values of a loop: `body` gets a
/// grain's number, its first value and how many it has. It is emitted once for
/// whole grains and once for a last one that has fewer.
void shareGrains(
    Emitter &e, int64_t range, int64_t size,
    llvm::function_ref<void(mlir::Value, mlir::Value, int64_t)> body);

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_GRAINS_H
