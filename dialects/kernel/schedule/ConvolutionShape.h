// The sizes of a convolution that its schedule and its cost depend on.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_CONVOLUTIONSHAPE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_CONVOLUTIONSHAPE_H

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/schedule/SpatialWindows.h"

namespace weir::kernel {

/// A convolution as vector code computes it: a product whose rows are windows,
/// which are never written out.
struct ConvolutionShape : SpatialWindows {
  /// Of a kernel that has a convolution schedule.
  ConvolutionShape(ConvolutionOp op, const Target &target);
  static ConvolutionShape of(mlir::Operation *kernel, const Target &target) {
    return ConvolutionShape(mlir::cast<ConvolutionOp>(kernel), target);
  }

  int64_t images, groups;
  /// Channels of a pixel of x, and of one in whole groups of 4 bytes.
  int64_t filled, channels;
  int64_t outChannels, groupInputs, groupOutputs;
  /// Channels of a panel of the filter, and elements of a vector of sums.
  int64_t panel, lanes;
  bool isVnni;
  /// Bytes that one step of a sum reads of a pixel: a group of 4, or 1.
  int64_t unit;
  mlir::Type sumElement, xElement;
  /// The elements of a copy of x, and their bytes.
  mlir::Type copyElement;
  int64_t copyBytes;
  /// Bytes of the filter and of one panel of it.
  int64_t filterBytes, panelBytes;

  /// Whether the channels of a row of a window are one run in memory, if a
  /// pixel has so many.
  bool isRun(int64_t pixel) const {
    return groups == 1 && dilationX == 1 && pixel == channels;
  }
  /// Rows of the window with fewer terms share a chain of additions.
  bool hasShortRows() const {
    constexpr int64_t shortRow = 96;
    return windowWidth * groupInputs / unit < shortRow;
  }
  /// Whether tiles can read x only from a copy, with these reaches: it has a
  /// border, or its elements another type.
  bool needsCopy(const TileReach &y, const TileReach &x) const {
    return y.border || x.border || y.extent > height || x.extent > width ||
           copyElement != xElement || channels != filled;
  }
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_CONVOLUTIONSHAPE_H
