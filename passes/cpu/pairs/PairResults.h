// Where the results of a product of pairs go.

#ifndef WEIR_PASSES_CPU_PAIRS_PAIRRESULTS_H
#define WEIR_PASSES_CPU_PAIRS_PAIRRESULTS_H

#include "passes/cpu/kernels/Epilogue.h"

namespace weir {

/// The results of a kernel whose tiles are of rows of all dimensions but the
/// last, from number `row` on.
struct PairResults {
  Emitter &e;
  kernel::KernelOpInterface op;

  PairResults(Emitter &e, kernel::KernelOpInterface op);

  /// Indices of all dimensions but the last.
  Emitter::Values placeOf(mlir::Value row);
  /// Fetches what a tile will be written to, and what its epilogue reads.
  void prefetch(const Tile &tile);
  /// Stores the sums of a tile, row after row, each through the epilogue.
  void finish(const Tile &tile, mlir::Value row,
              llvm::ArrayRef<mlir::Value> sums);

private:
  // Whether rows are as far from the next as from the one before, in the result
  // and what is added to it: not so those of images that are cropped, or
  // turned.
  bool inRuns;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_PAIRS_PAIRRESULTS_H
