// The sizes of a product that its schedule and its cost depend on.

#ifndef WEIR_DIALECTS_KERNEL_SCHEDULE_MATMULSHAPE_H
#define WEIR_DIALECTS_KERNEL_SCHEDULE_MATMULSHAPE_H

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"

namespace weir::kernel {

/// A product as vector code computes it. The rows of a batch whose right side
/// is shared are the rows of one product if memory has them in one run.
struct MatmulShape {
  /// Of a kernel on buffers or tensors that has a matmul schedule.
  static MatmulShape of(mlir::Operation *kernel, const Target &target);

  int64_t batches, rows, columns;
  /// Terms of a sum; groups of 4 bytes in the VNNI layout.
  int64_t depth;
  bool isVnni;
  /// Whether rows of the left side end within a group of 4 bytes.
  bool hasPartialGroup;
  bool transposesA, sharesB;
  /// Columns of a panel of the right side, or 0 for a plain one.
  int64_t panel;
  /// Elements of a vector of sums, and the columns that a plain right side
  /// would be packed for.
  int64_t lanes, panelOrWidth;
  mlir::Type sumElement, aElement, bElement, outElement;
  int64_t extras;
  /// Bytes of the right side.
  int64_t weights;
  /// Elements from a row of the left side to the next, if known.
  std::optional<int64_t> rowStride;

  int64_t aBytes() const { return bytesOf(aElement); }
  int64_t bBytes() const { return bytesOf(bElement); }
  int64_t sumBytes() const {
    return std::max<int64_t>(1, sumElement.getIntOrFloatBitWidth() / 8);
  }
  /// The order of a sum's terms depends on this number of rows, not on `rows`:
  /// a row has the same sum in a matrix of a few rows more.
  int64_t alikeRows() const { return llvm::PowerOf2Ceil(rows); }

private:
  static int64_t bytesOf(mlir::Type type) {
    return std::max(8u, type.getIntOrFloatBitWidth()) / 8;
  }
};

/// Whether the products of a batch are computed as one product.
bool joinsBatches(MatmulOp op);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_SCHEDULE_MATMULSHAPE_H
