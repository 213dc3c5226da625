// The tiles of a product that a thread computes.

#ifndef WEIR_PASSES_CPU_KERNELS_TILERANGE_H
#define WEIR_PASSES_CPU_KERNELS_TILERANGE_H

#include "passes/cpu/kernels/MatmulBlocks.h"

namespace weir::cpu {

/// Ranges of tiles of rows and columns: all tiles, or the work items of a
/// parallel loop. Work items are rows of tiles, or columns of tiles. If there
/// are too few columns to divide evenly, they are single tiles in column order.
struct TileRange {
  mlir::Value firstRow, endRow, firstColumn, endColumn;

  static TileRange all(Emitter &e, const MatmulBlocks &blocks);
  static TileRange ofRows(Emitter &e, const MatmulBlocks &blocks,
                          mlir::Value first, mlir::Value end);
  static TileRange ofColumns(Emitter &e, const MatmulBlocks &blocks,
                             mlir::Value first, mlir::Value end);
  /// Excludes tiles of columns from column `columns` on, which may be null.
  void endAt(Emitter &e, const MatmulBlocks &blocks, mlir::Value columns);
  /// The number of work items of `ofColumns`.
  static int64_t columnWorkItems(const MatmulBlocks &blocks);

  /// Restricts the tiles of rows from `first` to before `end` to those in this
  /// range, for the tile of columns that begins at column `column`.
  void confine(Emitter &e, const MatmulBlocks &blocks, mlir::Value column,
               mlir::Value &first, mlir::Value &end) const;

private:
  // The first tile of rows in the first column, and the end of those in the
  // last column. Null if all columns have all rows.
  mlir::Value beginsAt, endsAt;
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_KERNELS_TILERANGE_H
