// The sizes of windows whose tiles are neighbouring results of a line.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_LINESHAPE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_LINESHAPE_H

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/schedule/SpatialWindows.h"

namespace weir::kernel {

/// The ways to compute such windows: each channel for itself, dot products of
/// pixels with filters in the K-major layout, or dot products of the bytes of
/// four rows in the VNNI layout.
enum class LineKind { channels, dots, interleaved };

struct LineShape : SpatialWindows {
  LineShape(DepthwiseOp op, const Target &target);
  LineShape(PoolOp op, const Target &target);
  LineShape(ConvolutionOp op, const Target &target);

  /// Of a kernel that has a line schedule.
  static LineShape of(mlir::Operation *kernel, const Target &target);

  LineKind kind = LineKind::channels;
  int64_t images, channels;
  /// Channels of x that a result depends on.
  int64_t inputs = 1;
  /// Elements of a vector of sums.
  int64_t lanes;
  mlir::Type sumElement, xElement, outElement;
  int64_t xElements;

private:
  void fill(mlir::Value x, mlir::Value out, mlir::Type sum,
            const Target &target);
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_LINESHAPE_H
