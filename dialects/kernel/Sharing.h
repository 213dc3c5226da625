// Decides by rough costs of one core which work threads share.

#ifndef WEIR_DIALECTS_KERNEL_SHARING_H
#define WEIR_DIALECTS_KERNEL_SHARING_H

#include "dialects/kernel/cost/Cost.h"

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>

namespace weir {

/// The largest number of threads that share the work of the op's module.
int64_t slotsOf(mlir::Operation *op);

/// The number of chunks that a thread gets of a kernel's work items, unless
/// these are coarse. A thread without chunks steals from others.
inline constexpr int64_t chunksOfThread = 4;

/// How a kernel of a row-wise group is shared: `size` of the `rows` of its
/// results are one work item. The attribute `weir.row_blocks` of its function
/// has both.
struct RowBlocks {
  int64_t rows, size;

  /// Reads those of the kernel that contains `op`; no value for other kernels.
  static std::optional<RowBlocks> of(mlir::Operation *op);

  int64_t count() const { return rows / size; }
};

/// The largest divisor of `whole` that is at most `most`; `whole` is not 0.
int64_t evenPart(int64_t whole, int64_t most);

} // namespace weir

#endif // WEIR_DIALECTS_KERNEL_SHARING_H
