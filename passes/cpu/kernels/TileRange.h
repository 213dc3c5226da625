// Which tiles of a product a thread makes.

#ifndef WEIR_PASSES_CPU_KERNELS_TILERANGE_H
#define WEIR_PASSES_CPU_KERNELS_TILERANGE_H

#include "passes/cpu/kernels/MatmulBlocks.h"

namespace weir {

/// Tiles of rows and columns, each from the first to before the end: all, or
/// the grains of a kernel.parts. These are tiles of rows with all their
/// columns, columns with all their rows, or, where columns are too few for
/// threads to have equally many, tiles one column after the other.
struct TileRange {
  mlir::Value firstRow, endRow, firstColumn, endColumn;

  static TileRange all(Emitter &e, const MatmulBlocks &blocks);
  static TileRange ofRows(Emitter &e, const MatmulBlocks &blocks,
                          mlir::Value first, mlir::Value end);
  static TileRange ofColumns(Emitter &e, const MatmulBlocks &blocks,
                             mlir::Value first, mlir::Value end);
  /// Leaves out tiles of columns from column `columns` on, which may be null.
  void endAt(Emitter &e, const MatmulBlocks &blocks, mlir::Value columns);
  /// How many grains `ofColumns` has.
  static int64_t columnGrains(const MatmulBlocks &blocks);

  /// Confines the tiles of rows from `first` to before `end` to those of the
  /// tile of columns that begins with column `column`.
  void confine(Emitter &e, const MatmulBlocks &blocks, mlir::Value column,
               mlir::Value &first, mlir::Value &end) const;

private:
  // The tile of rows with which the first column begins, and before which the
  // last one ends; null where all have all rows.
  mlir::Value beginsAt, endsAt;
};

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_TILERANGE_H
