// Applies a kernel's epilogue to the sums of a register tile and stores them.

#ifndef WEIR_PASSES_CPU_KERNELS_EPILOGUE_H
#define WEIR_PASSES_CPU_KERNELS_EPILOGUE_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

/// A grid of `height x width` positions of the result, at each of which
/// `columns` neighbouring elements are held in vectors of `lanes`.
struct Tile {
  int64_t height, width, columns, lanes;
  /// All indices but the last of the position `(y, x)` in the tile.
  llvm::function_ref<Emitter::Values(mlir::Value y, mlir::Value x)> position;
  /// The last index of the tile's first column.
  mlir::Value column;
  /// How many elements of the result neighbours in a row stand apart.
  int64_t step = 1;

  int64_t vectors() const { return (columns + lanes - 1) / lanes; }
  int64_t count() const { return height * width * vectors(); }
  /// How many elements of vector `v` are inside the result.
  int64_t valid(int64_t v) const {
    return std::min(lanes, columns - v * lanes);
  }

  /// The tile's part of a buffer of the result's shape. What is there has
  /// constant distances from one address; LLVM computes each element's own of
  /// indices in the whole.
  mlir::Value in(Emitter &e, mlir::Value buffer) const;
  /// Where there the vector `v` of position `(y, x)` begins.
  Emitter::Values at(Emitter &e, mlir::Value buffer, mlir::Value y,
                     mlir::Value x, int64_t v) const;
};

/// Stores sums, ordered by position and then vector, as they are.
void storeTile(Emitter &e, mlir::Value out, const Tile &tile,
               mlir::ValueRange sums);

/// Adds what was stored there to sums of such an order, unless `begins` holds.
void addStored(Emitter &e, mlir::Value out, const Tile &tile,
               mlir::Value begins, Emitter::Values &sums);

/// Stores sums as storeTile does, each through the epilogue of `op`.
void finishTile(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                mlir::ValueRange sums);

/// Takes the addition of a vector of columns to sums of integers out of the
/// epilogue of `op`, where it begins with one, for the sums to begin with.
/// Returns the vector, or null.
mlir::Value takeAddend(kernel::KernelOpInterface op);

/// What the sums of a tile of `element` begin with, ordered as `finishTile`
/// takes them: zeros, or the columns of `addend`.
Emitter::Values firstSums(Emitter &e, mlir::Value addend, const Tile &tile,
                          mlir::Type element);

/// Begins to fetch what is written at each position and, where `finishTile`
/// does so, what it reads there; all comes while the sums are made.
void prefetchTile(Emitter &e, kernel::KernelOpInterface op, const Tile &tile,
                  bool finishes);

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_EPILOGUE_H
