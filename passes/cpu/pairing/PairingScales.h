// Computes the scales of both sides of a product by inner-product pairing.

#ifndef WEIR_PASSES_CPU_PAIRING_PAIRINGSCALES_H
#define WEIR_PASSES_CPU_PAIRING_PAIRINGSCALES_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

/// For each lane of a vector, which represents a row or a column, two powers of
/// two: `factors` scale its elements to a mean square of 1/2 to 2, and `scales`
/// undo that. Both are one unless `scalable`.
struct PairingScales {
  mlir::Value scalable, factors, scales;

  /// From sums of `depth` squares.
  PairingScales(Emitter &e, mlir::Value squares, int64_t depth);
};

/// A vector of one i32, or of one f32, in all lanes.
mlir::Value integers(Emitter &e, int64_t value, int64_t lanes);
mlir::Value reals(Emitter &e, double value, int64_t lanes);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_PAIRING_PAIRINGSCALES_H
