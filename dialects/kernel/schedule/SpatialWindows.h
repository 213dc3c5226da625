// The windows of a convolution over images of one or two spatial dimensions.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_SPATIALWINDOWS_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_SPATIALWINDOWS_H

#include "dialects/kernel/schedule/EvenSplit.h"

#include "mlir/IR/BuiltinTypes.h"

namespace weir {

/// One axis of a convolution: `results` windows of `window` taps over `size`
/// elements. The first tap is `padding` before the first element.
struct WindowAxis {
  int64_t results, size, window, stride, dilation, padding;
};

/// The elements that the tiles of a convolution read along one axis.
struct TileReach {
  /// Whether tiles leave out taps of the window, first or last, that all their
  /// results have outside of x.
  bool skips = false;
  /// The number of elements before x that tiles read, and of all elements from
  /// there on.
  int64_t border = 0, extent = 1;
  /// The steps of all tiles: each tap has one for each result, and one more for
  /// the filter.
  int64_t steps = 0;
  /// The taps left out, of all tiles.
  int64_t skipped = 0;

  /// Of tiles of up to `most` results. With `skip` a tile leaves out a tap only
  /// if all its results have it on one side of x, so that the taps used are
  /// neighbours.
  static TileReach of(const WindowAxis &axis, int64_t most, bool skip);
};

/// Sizes and steps of a convolution's windows. Images are [n, y, x, channels]
/// or, if they are `flat`, [n, x, channels], which is as of height 1.
struct SpatialWindows {
  bool flat;
  int64_t height, width, outHeight, outWidth;
  int64_t windowHeight, windowWidth;
  int64_t strideY, strideX, lowY, lowX, dilationY, dilationX;

  /// `window` has the spatial sizes of the filter.
  template <typename Op>
  SpatialWindows(Op op, llvm::ArrayRef<int64_t> window) {
    auto shape = [](mlir::Value value) {
      return mlir::cast<mlir::ShapedType>(value.getType()).getShape();
    };
    llvm::ArrayRef<int64_t> x = shape(op.getX()), out = shape(op.getOut());
    flat = x.size() == 3;
    auto pair = [&](llvm::ArrayRef<int64_t> values, int64_t missing, int64_t &a,
                    int64_t &b) {
      a = flat ? missing : values[0];
      b = values.back();
    };
    pair(x.slice(1, x.size() - 2), 1, height, width);
    pair(out.slice(1, out.size() - 2), 1, outHeight, outWidth);
    pair(window, 1, windowHeight, windowWidth);
    pair(op.getStrides(), 1, strideY, strideX);
    pair(op.getPadding(), 0, lowY, lowX);
    pair(op.getDilations(), 1, dilationY, dilationX);
  }

  WindowAxis axisY() const {
    return {outHeight, height, windowHeight, strideY, dilationY, lowY};
  }
  WindowAxis axisX() const {
    return {outWidth, width, windowWidth, strideX, dilationX, lowX};
  }
};

} // namespace weir

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_SPATIALWINDOWS_H
