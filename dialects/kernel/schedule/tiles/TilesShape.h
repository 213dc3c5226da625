// The sizes of products and convolutions whose weights are in a layout for tile
// registers.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_TILES_TILESSHAPE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_TILES_TILESSHAPE_H

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/TileWindows.h"
#include "dialects/kernel/schedule/EvenSplit.h"

namespace weir::kernel {

struct TilesShape {
  /// Rows of a tile at most, and columns of its sums.
  static constexpr int64_t half = 16;
  /// Columns of a panel of weights, and rows of a block at most.
  static constexpr int64_t side = 2 * half;

  TilesShape(MatmulOp op, const Target &target);
  TilesShape(ConvolutionOp op, const Target &target);

  /// Of a kernel that has a tiles schedule.
  static TilesShape of(mlir::Operation *kernel, const Target &target);

  /// Whether the target has tile registers for the elements, and dot products
  /// that can replace them.
  bool hasTiles, hasDots;
  /// Whether elements are i8 and sums i32, or bf16 and f32.
  bool areBytes;
  /// Whether weights are f32, which the kernel splits in use.
  bool splitsWeights;
  /// Terms of an element of f32.
  int64_t split;
  /// Columns of the result, and panels of weights.
  int64_t columns, panels;
  /// Elements of a sum in one product of tiles, and such steps of a sum.
  int64_t stepDepth, steps;
  /// Bytes of the weights.
  int64_t weights;
  /// Multiply-adds.
  double products = 0;

  /// Rows and depth of a product.
  int64_t rows = 0, depth = 0;

  bool isConvolution = false;
  int64_t images = 1, channels = 0, channelSteps = 0;
  TileAxis y, x;

  /// The windows of a convolution in tiles as the schedule has them.
  TileWindows windows(const TilesSchedule &schedule) const {
    return TileWindows(y, x, schedule.byLine, schedule.tileRows);
  }
  /// Blocks of rows: of a product, or of each image.
  int64_t blocks(const TilesSchedule &schedule) const;
  /// Bytes of the partial sums of a slab that wait between blocks of the depth.
  int64_t spilledBytes(const TilesSchedule &schedule) const;
  /// 16 columns of a panel, or all 32.
  int64_t columnTiles() const { return columns > half ? 2 : 1; }
  /// Tiles of rows of which a kernel for dot products keeps the sums.
  EvenSplit dotTiles(const TilesSchedule &schedule) const {
    return EvenSplit(std::min(rows, side), schedule.tileRows);
  }

private:
  void fill(LayoutAttr layout, mlir::ShapedType b, mlir::ShapedType out,
            const Target &target);
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_TILES_TILESSHAPE_H
