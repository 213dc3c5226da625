// Loops over the rows of a tensor.

#ifndef WEIR_PASSES_FUSE_ROWS_H
#define WEIR_PASSES_FUSE_ROWS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace weir::fuse {

/// The number of leading dimensions of an op's operand that it keeps, if it
/// reduces the other ones, at least one. No value for other ops.
std::optional<size_t> rowDimensions(mlir::Operation *op);

/// The shapes of a loop over rows: that of the elements, and that of tensors
/// with one value for each row.
struct Rows {
  llvm::ArrayRef<int64_t> elements;
  size_t dimensions; // the leading dimensions, which number the rows

  /// The rows that `reduction` reduces.
  Rows(mlir::Operation *reduction, size_t dimensions);

  bool has(mlir::Operation *op) const;
};

} // namespace weir::fuse

#endif // WEIR_PASSES_FUSE_ROWS_H
