// Loops over rows of elements.

#ifndef WEIR_PASSES_FUSE_ROWS_H
#define WEIR_PASSES_FUSE_ROWS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace weir {

/// How many dimensions an op's operand has before those that it reduces, where
/// these are the last ones, at least one.
std::optional<size_t> rowDimensions(mlir::Operation *op);

/// Tensors of elements, and of one value for each row of them, which is what
/// loops over rows are made of.
struct Rows {
  llvm::ArrayRef<int64_t> elements;
  size_t dimensions; // of a row's place

  /// Those that a reduction of rows reads.
  Rows(mlir::Operation *reduction, size_t dimensions);

  bool has(mlir::Operation *op) const;
};

} // namespace weir

#endif // WEIR_PASSES_FUSE_ROWS_H
