// By what the sides of a product of pairs are scaled.

#ifndef WEIR_PASSES_CPU_PAIRS_PAIRSCALES_H
#define WEIR_PASSES_CPU_PAIRS_PAIRSCALES_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

/// For each lane of a vector, which stands for a row or a column, powers of two
/// of which `factors` bring the mean square of its elements to 1/2 to 2 and
/// `scales` back; both are one where `scalable` does not hold.
struct PairScales {
  mlir::Value scalable, factors, scales;

  /// Of sums of `depth` squares each.
  PairScales(Emitter &e, mlir::Value squares, int64_t depth);
};

/// A vector of one i32, or of one f32, in all lanes.
mlir::Value integers(Emitter &e, int64_t value, int64_t lanes);
mlir::Value reals(Emitter &e, double value, int64_t lanes);

} // namespace weir

#endif // WEIR_PASSES_CPU_PAIRS_PAIRSCALES_H
