// The sizes of a product of dot products that its schedule and its cost depend
// on.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_DOT_DOTSHAPE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_DOT_DOTSHAPE_H

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/schedule/EvenSplit.h"

namespace weir::kernel {

/// A product whose right side has the K-major layout. The rows of a batch whose
/// right side is shared are the rows of one product if memory has them in one
/// run.
struct DotShape {
  /// Of a kernel that has a dot schedule.
  DotShape(MatmulOp op, const Target &target);
  static DotShape of(mlir::Operation *kernel, const Target &target) {
    return DotShape(mlir::cast<MatmulOp>(kernel), target);
  }

  int64_t batches, rows, columns, depth;
  mlir::Type sumElement;
  /// Elements of a vector of partial sums.
  int64_t lanes;
  /// Bytes of an element of the left side, and of the right side.
  int64_t aBytes, weights;
};

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_DOT_DOTSHAPE_H
