// A product of f32 of whose terms most are pairs that one multiplication makes.

#ifndef WEIR_PASSES_CPU_KERNELS_PAIRS_H
#define WEIR_PASSES_CPU_KERNELS_PAIRS_H

#include "passes/cpu/kernels/Emitter.h"

#include "dialects/kernel/Pairs.h"

namespace weir {

/// Rows of the left side of such a product, scaled and looked at: those of some
/// tiles, each of which has as many lines.
struct PairRows {
  static constexpr int64_t lanes = 16;

  Emitter &e;
  mlir::Value a;
  int64_t depth, linesATile;
  mlir::Value scaled; // lines, each of a row and zeros
  mlir::Value alone;  // of each line, what its pairs have alone
  mlir::Value scales; // and the power of two that the row was divided by
  mlir::Value fits;   // of each tile, whether its rows make pairs

  /// Memory for so many tiles.
  PairRows(Emitter &e, mlir::Value a, int64_t tiles, int64_t linesATile);

  /// Takes `count` rows of `a` from number `row` on, those of a tile, which is
  /// tile `slot` here.
  void take(mlir::Value row, mlir::Value count, mlir::Value slot);
  /// Whether tile `slot` makes pairs.
  mlir::Value fit(mlir::Value slot);
  /// The indices in `a` of the first element of row number `row`.
  Emitter::Values placeOf(mlir::Value row);

private:
  using Body = llvm::function_ref<void(Emitter::Values &, mlir::Value, int64_t,
                                       int64_t)>;
  using OfRow = llvm::function_ref<Emitter::Values(mlir::Value)>;
  Emitter::Values overRow(mlir::ValueRange begin, Body body);
  mlir::Value load(mlir::ValueRange row, mlir::Value k, int64_t valid);
  mlir::Value signs(int64_t k);
  Emitter::Values sumsOfRows(mlir::Value count, int64_t sums, OfRow ofRow);
  mlir::Value squareOf(mlir::ValueRange row);
  Emitter::Values scale(mlir::ValueRange row, mlir::Value line,
                        mlir::Value factor);
};

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_PAIRS_H
