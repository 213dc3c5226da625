// Tiles of neighbouring results, of some channels.

#ifndef WEIR_PASSES_CPU_WINDOWS_CHANNELTILES_H
#define WEIR_PASSES_CPU_WINDOWS_CHANNELTILES_H

#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/windows/SpatialWindows.h"

namespace weir {

/// Where each result is made of one channel, a tile is of neighbours of one
/// vector of channels, or of two where these are a line and neighbours share
/// few pixels: lines are then fetched, and those of results written, as a
/// whole. Padding is never read: rows outside bound the loop over the window,
/// columns outside are left out of the tiles at the border.
struct ChannelTiles : SpatialWindows {
  Emitter &e;
  kernel::KernelOpInterface op;
  mlir::Value x, out;
  mlir::Type sumElement;
  int64_t channels, lanes;
  int64_t mostWide = 7, mostColumns; // of a tile
  mlir::Value image;

  template <typename Op>
  ChannelTiles(Emitter &e, Op op, llvm::ArrayRef<int64_t> window,
               const kernel::Target &target)
      : SpatialWindows(op, window), e(e), op(op), x(op.getX()),
        out(op.getOut()) {
    chooseSizes(target);
  }

  /// A result of the tile, and a column of its window.
  using Pair = std::pair<int64_t, int64_t>;

  /// `wide` results of row `y` from column `first` on, and `valid` channels
  /// from `channel` on; which rows of the window are in x, and of which results
  /// which columns.
  struct Place {
    mlir::Value y, low, high, first;
    int64_t wide;
    llvm::ArrayRef<Pair> pairs;
    mlir::Value channel;
    int64_t valid;
  };

  /// Emits `tile` for all results, which takes `nanoseconds` in all, whatever
  /// they move.
  void run(double nanoseconds, llvm::function_ref<void(const Place &)> tile);

  /// The column of x under result `i` and column `k` of its window.
  int64_t columnOf(int64_t i, int64_t k) const {
    return i * strideX + k * dilationX - lowX;
  }
  /// Calls `body` with the results there, as their epilogue takes them.
  void withTile(const Place &place,
                llvm::function_ref<void(const Tile &)> body);
  /// A vector of the channels from `channel` on: of row `k` of the window, and
  /// of the column that is `column` from the one that the place begins with.
  mlir::Value pixel(const Place &place, mlir::Value k, int64_t column,
                    mlir::Value channel, int64_t valid, bool isUnsigned);

private:
  void chooseSizes(const kernel::Target &target);
  llvm::SmallVector<Pair> pairsOf(int64_t first, int64_t wide) const;
  /// The tiles of row `y`, or some of them.
  void row(mlir::Value y, llvm::function_ref<void(const Place &)> tile,
           mlir::Value firstTile = {}, mlir::Value endTile = {});
};

} // namespace weir

#endif // WEIR_PASSES_CPU_WINDOWS_CHANNELTILES_H
