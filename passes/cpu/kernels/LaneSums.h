// Sums of what the lanes of vectors hold.

#ifndef WEIR_PASSES_CPU_KERNELS_LANESUMS_H
#define WEIR_PASSES_CPU_KERNELS_LANESUMS_H

#include "passes/cpu/kernels/Epilogue.h"

#include "dialects/kernel/Target.h"

namespace weir {

/// Of as many vectors as they have lanes the one whose lane i is the sum of all
/// lanes of vector i; those that are missing at the end are zeros.
mlir::Value sumEach(Emitter &e, Emitter::Values vectors);

/// Most dot products that a tile makes at a time: each has a register.
inline int64_t mostDotSums(const kernel::Target &target) {
  return target.registers / 2;
}

/// Finishes a tile of one line whose elements are each the sum of a vector's
/// lanes: of `sums`, ordered by position and then column.
void finishDots(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                llvm::ArrayRef<mlir::Value> sums);

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_LANESUMS_H
