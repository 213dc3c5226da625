// Which operands of a kernel are read row by row.

#ifndef WEIR_PASSES_BUFFERIZE_ROWUSES_H
#define WEIR_PASSES_BUFFERIZE_ROWUSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace weir {

/// How many leading dimensions have `rows` indices together: the elements of a
/// row, in memory one run, are those of the other dimensions. None where no
/// number of them has.
std::optional<size_t> leadingDims(mlir::Type tensor, int64_t rows);

/// Of a kernel on tensors that makes its results row by row.
struct RowUses {
  /// How many rows each result has.
  int64_t rows;
  /// Whether a row of the results is made of the same row alone of what this
  /// argument is, or else of anything in it.
  llvm::SmallVector<bool> byRows;

  /// None where a row is made of other rows of what the kernel itself makes, or
  /// what is made is more than one product, one op's loops, or loops that a
  /// reduction of rows joins: blocks of rows are then not how it is shared.
  static std::optional<RowUses> of(mlir::func::FuncOp kernel);
};

} // namespace weir

#endif // WEIR_PASSES_BUFFERIZE_ROWUSES_H
