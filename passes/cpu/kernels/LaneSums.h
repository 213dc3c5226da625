// Sums the lanes of vectors.

#ifndef WEIR_PASSES_CPU_KERNELS_LANESUMS_H
#define WEIR_PASSES_CPU_KERNELS_LANESUMS_H

#include "passes/cpu/kernels/Epilogue.h"

#include "dialects/kernel/Target.h"

namespace weir::cpu {

/// From as many vectors as they have lanes, a vector whose lane i is the sum of
/// all lanes of vector i. Missing vectors at the end count as zeros.
mlir::Value sumEach(Emitter &e, Emitter::Values vectors);

/// The largest number of dot products of a tile; each needs a register.
inline int64_t maxDotSums(const kernel::Target &target) {
  return target.registers / 2;
}

/// Finishes a tile of one line, each element of which is the sum of the lanes
/// of a vector in `sums`, ordered by position and then column.
void finishDots(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                llvm::ArrayRef<mlir::Value> sums);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_LANESUMS_H
