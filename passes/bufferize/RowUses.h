// Finds the operands of a kernel that are used row by row.

#ifndef WEIR_PASSES_BUFFERIZE_ROWUSES_H
#define WEIR_PASSES_BUFFERIZE_ROWUSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace weir::bufferize {

/// The number of leading dimensions with `rows` indices in total; the other
/// dimensions of a row are contiguous. No value if no number of dimensions has
/// so many.
std::optional<size_t> leadingDims(mlir::Type tensor, int64_t rows);

/// A kernel on tensors that computes its results row by row.
struct RowUses {
  /// The number of rows of each result.
  int64_t rows;
  /// For each argument: whether a row of the results depends on the same row of
  /// it only, not on any other element.
  llvm::SmallVector<bool> rowWise;

  /// No value if a row depends on other rows of an intermediate result. No
  /// value too if the kernel is more than one product, one op's loops, or loops
  /// joined by a reduction of rows: it is then shared in another way.
  static std::optional<RowUses> of(mlir::func::FuncOp kernel);
};

} // namespace weir::bufferize

#endif // WEIR_PASSES_BUFFERIZE_ROWUSES_H
