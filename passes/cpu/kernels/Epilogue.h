// Applies a kernel's epilogue to the sums of a register tile and stores them.

#ifndef WEIR_PASSES_CPU_KERNELS_EPILOGUE_H
#define WEIR_PASSES_CPU_KERNELS_EPILOGUE_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

/// A grid of `height x width` positions of the result. At each position
/// `columns` adjacent elements are in vectors of `lanes`.
struct Tile {
  int64_t height, width, columns, lanes;
  /// All indices but the last of position `(y, x)` of the tile.
  llvm::function_ref<Emitter::Values(mlir::Value y, mlir::Value x)> position;
  /// The last index of the tile's first column.
  mlir::Value column;
  /// The distance in the result between adjacent positions of a row, in
  /// elements.
  int64_t step = 1;

  int64_t vectors() const { return (columns + lanes - 1) / lanes; }
  int64_t count() const { return height * width * vectors(); }
  /// The number of elements of vector `v` that are inside of the result.
  int64_t valid(int64_t v) const {
    return std::min(lanes, columns - v * lanes);
  }

  /// The tile's subview of a buffer with the result's shape. Its elements are
  /// at constant distances from one address. With indices into the whole
  /// buffer, LLVM would compute an address for each.
  mlir::Value in(Emitter &e, mlir::Value buffer) const;
  /// The indices in that subview of vector `v` at position `(y, x)`.
  Emitter::Values at(Emitter &e, mlir::Value buffer, mlir::Value y,
                     mlir::Value x, int64_t v) const;
};

/// Stores sums, ordered by position and then vector, without epilogue.
void storeTile(Emitter &e, mlir::Value out, const Tile &tile,
               mlir::ValueRange sums);

/// Adds stored partial sums to `sums`, unless `begins` is true.
void addStored(Emitter &e, mlir::Value out, const Tile &tile,
               mlir::Value begins, Emitter::Values &sums);

/// Applies the epilogue of `op` to the sums and stores the results, in the
/// order of storeTile.
void finishTile(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                mlir::ValueRange sums);

/// If the epilogue of `op` begins by adding a vector of columns to integer
/// sums, removes that addition, so that the sums can start with the vector.
/// Returns the vector, or null.
mlir::Value takeAddend(kernel::KernelOpInterface op);

/// The initial sums of a tile of `element`, in the order of `finishTile`:
/// zeros, or the columns of `addend`.
Emitter::Values firstSums(Emitter &e, mlir::Value addend, const Tile &tile,
                          mlir::Type element);

/// Prefetches the results of each position and, if `finishes`, the operands of
/// the epilogue. The prefetches overlap with the computation of the sums.
void prefetchTile(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                  bool finishes);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_EPILOGUE_H
