// Tiles of adjacent results of some channels.

#ifndef WEIR_PASSES_CPU_WINDOWS_CHANNELTILES_H
#define WEIR_PASSES_CPU_WINDOWS_CHANNELTILES_H

#include "dialects/kernel/schedule/LineShape.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/windows/LineTiles.h"

namespace weir::cpu {

/// A tile is neighbouring results of a line, with some of their channels, as
/// the schedule has it. Padding is never read: rows outside bound the loop over
/// the window, columns outside are left out of the tiles at the border.
struct ChannelTiles : kernel::LineShape, kernel::LineSchedule {
  Emitter &e;
  kernel::KernelOpInterface op;
  mlir::Value x, out;
  mlir::Value image;

  /// Of an op with a schedule.
  template <typename Op>
  ChannelTiles(Emitter &e, Op op, const kernel::Target &target)
      : LineShape(op, target),
        LineSchedule(mlir::cast<kernel::LineScheduleAttr>(op.getScheduleAttr())
                         .getValue()),
        e(e), op(op), x(op.getX()), out(op.getOut()) {}

  /// A result of the tile, and a column of its window.
  using Pair = std::pair<int64_t, int64_t>;

  /// `wide` results of row `y` from column `first` on, and `valid` channels
  /// from `channel` on. `low` and `high` are the rows of the window inside of
  /// x, `pairs` the columns of each result's window.
  struct Box {
    mlir::Value y, low, high, first;
    int64_t wide;
    llvm::ArrayRef<Pair> pairs;
    mlir::Value channel;
    int64_t valid;
  };

  /// Emits `tile` for all results.
  void run(llvm::function_ref<void(const Box &)> tile);

  /// The column of x for result `i` and column `k` of its window.
  int64_t columnOf(int64_t i, int64_t k) const {
    return i * strideX + k * dilationX - lowX;
  }
  /// Calls `body` with the results, in the form that their epilogue needs.
  void withTile(const Box &box, llvm::function_ref<void(const Tile &)> body);
  /// A vector of channels from `channel` on: of row `k` of the window, at
  /// `column` columns from the first one.
  mlir::Value pixel(const Box &box, mlir::Value k, int64_t column,
                    mlir::Value channel, int64_t valid, bool isUnsigned);

private:
  llvm::SmallVector<Pair> pairsOf(int64_t first, int64_t wide) const;
  /// Emits the tiles of row `y`, or some of them.
  void row(mlir::Value y, llvm::function_ref<void(const Box &)> tile,
           mlir::Value firstTile = {}, mlir::Value endTile = {});
};

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_WINDOWS_CHANNELTILES_H
