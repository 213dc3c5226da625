// Stores the results of a product by inner-product pairing.

#ifndef WEIR_PASSES_CPU_PAIRING_PAIRINGRESULTS_H
#define WEIR_PASSES_CPU_PAIRING_PAIRINGRESULTS_H

#include "passes/cpu/kernels/Epilogue.h"

namespace weir::cpu {

/// The results of a kernel whose tiles consist of rows: all dimensions but the
/// last, from row `row` on.
struct PairingResults {
  Emitter &e;
  kernel::KernelOpInterface op;

  PairingResults(Emitter &e, kernel::KernelOpInterface op);

  /// The indices of a row in all dimensions but the last.
  Emitter::Values positionOf(mlir::Value row);
  /// Prefetches the results of a tile and the operands of its epilogue.
  void prefetch(const Tile &tile);
  /// Applies the epilogue to the sums of a tile, row after row, and stores
  /// them.
  void finish(const Tile &tile, mlir::Value row,
              llvm::ArrayRef<mlir::Value> sums);

private:
  // Whether all rows are equally far apart, in the result and in the operands
  // of the epilogue. That is not so for cropped or transposed images.
  bool inRuns;
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_PAIRING_PAIRINGRESULTS_H
