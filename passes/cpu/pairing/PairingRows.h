// Scales the rows of the left side of a product by inner-product pairing, and
// tests their eligibility.

#ifndef WEIR_PASSES_CPU_PAIRING_PAIRINGROWS_H
#define WEIR_PASSES_CPU_PAIRING_PAIRINGROWS_H

#include "passes/cpu/kernels/Emitter.h"

#include "dialects/kernel/PairingScheme.h"

#include <functional>

namespace weir::cpu {

/// The left side of the product: rows of `depth` elements in `buffer`. If that
/// is null, `gather` copies them to another buffer.
struct LeftSide {
  mlir::Value buffer;
  int64_t depth;
  /// Copies row `row` to line `line` of `lines`.
  std::function<void(mlir::Value row, mlir::Value lines, mlir::Value line)>
      gather = nullptr;
};

/// The windows of a convolution by inner-product pairing, copied by vectors of
/// `lanes`.
LeftSide windowRows(Emitter &e, kernel::ConvolutionOp op, int64_t lanes);

/// The scaled rows of some tiles, with up to `linesATile` rows each.
struct PairingRows {
  Emitter &e;
  const LeftSide &from;
  int64_t lanes; // of a vector
  int64_t depth, linesATile;
  mlir::Value scaled; // lines of a row and zeros
  // For each line of a tile: its correction term, the power of two by which it
  // was divided, and whether it is eligible for pairing. For each tile: whether
  // any row is eligible, and whether all are.
  mlir::Value corrections, scales, eligible, tileEligible;
  /// Allocates memory for so many tiles.
  PairingRows(Emitter &e, const LeftSide &from, int64_t lanes, int64_t tiles,
              int64_t linesATile);
  /// The line of the first row of a tile.
  mlir::Value lineOf(mlir::Value slot) { return e.times(slot, linesATile); }
  /// Prepares `count` rows from row `row` on as tile `slot`.
  void take(mlir::Value row, mlir::Value count, mlir::Value slot);
  /// Whether a line is eligible for pairing.
  mlir::Value isEligible(mlir::Value line);
  /// Whether any row of tile `slot` is eligible, or all are.
  mlir::Value anyEligible(mlir::Value slot) {
    return isSet(tileEligible, slot, 1);
  }
  mlir::Value allEligible(mlir::Value slot) {
    return isSet(tileEligible, slot, 2);
  }

private:
  /// Vectors of a step over a row, and its elements. A step has whole groups,
  /// so that the signs of pairs are the same in each.
  static constexpr int64_t together = 3;
  int64_t step() const { return together * lanes; }
  mlir::Value isSet(mlir::Value words, mlir::Value at, int64_t bit);
  using Body = llvm::function_ref<void(Emitter::Values &, mlir::Value, int64_t,
                                       int64_t)>;
  using OfRow = llvm::function_ref<Emitter::Values(mlir::Value)>;
  Emitter::Values positionOf(mlir::Value row, mlir::Value line);
  Emitter::Values overRow(mlir::ValueRange begin, Body body);
  mlir::Value load(mlir::ValueRange row, mlir::Value k, int64_t valid);
  mlir::Value signs(int64_t k);
  Emitter::Values sumsOfRows(mlir::Value count, int64_t sums, OfRow ofRow);
  mlir::Value squareOf(mlir::ValueRange row);
  Emitter::Values scale(mlir::ValueRange row, mlir::Value line,
                        mlir::Value factor);
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_PAIRING_PAIRINGROWS_H
