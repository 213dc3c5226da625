// What is worth sharing among threads, from rough costs of one core.

#ifndef WEIR_DIALECTS_KERNEL_SHARING_H
#define WEIR_DIALECTS_KERNEL_SHARING_H

#include "dialects/kernel/cost/Cost.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cstdint>
#include <optional>

namespace weir {

/// Work of fewer nanoseconds than this stays on one thread.
constexpr double worthSharing =
    kernel::toNanoseconds(kernel::worthSharingCycles);

/// Nanoseconds of `kernel::movingCycles` and of `kernel::productCycles`.
inline double movingTime(double bytes) {
  return kernel::toNanoseconds(kernel::movingCycles(bytes));
}
inline double productTime(double products, int64_t lanes) {
  return kernel::toNanoseconds(kernel::productCycles(products, lanes));
}

/// How many threads at most share the work of the module that `op` is in.
int64_t slotsOf(mlir::Operation *op);

/// Parts that a thread has of a kernel's grains, unless these are to be few:
/// who is through with its own takes from the others.
inline constexpr int64_t partsOfThread = 4;

/// How a kernel of a wave by rows is shared: so many of the `rows` of its
/// results are a grain. `weir.row_blocks` of its function says so.
struct RowBlocks {
  int64_t rows, size;

  /// Those of the kernel that `op` is or is in; none where it is shared
  /// otherwise.
  static std::optional<RowBlocks> of(mlir::Operation *op);

  int64_t count() const { return rows / size; }
};

/// The largest divisor of `whole`, which is not 0, that is at most `most`.
int64_t evenPart(int64_t whole, int64_t most);

/// Nanoseconds of the loops of an op on scalars and as vectors, without the
/// time for memory.
double scalarTime(mlir::linalg::LinalgOp op);
double vectorTime(mlir::linalg::LinalgOp op);

/// Grains no smaller than this, so that starting one costs nothing beside it.
constexpr double grainTime = 4000;
constexpr int64_t mostGrains = 128;

} // namespace weir

#endif // WEIR_DIALECTS_KERNEL_SHARING_H
