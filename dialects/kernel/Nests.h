// What the stages of machines ask of loop nests on memory.

#ifndef WEIR_DIALECTS_KERNEL_NESTS_H
#define WEIR_DIALECTS_KERNEL_NESTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::kernel {

/// Whether dimension `d` is parallel, and each result has other elements for
/// other values of it.
bool separates(mlir::linalg::LinalgOp op, unsigned d);

/// Whether the first results are the first `rows` dimensions, which no other
/// result has: an element belongs to the rows that the loops are at.
bool isByRows(mlir::AffineMap map, size_t rows);

/// Removes a buffer that was allocated, with all that still uses it.
void eraseBuffer(mlir::Value buffer);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_NESTS_H
