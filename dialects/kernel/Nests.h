// Properties of loop nests that several stages need.

#ifndef WEIR_DIALECTS_KERNEL_NESTS_H
#define WEIR_DIALECTS_KERNEL_NESTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::kernel {

/// Whether dimension `d` is parallel, and different values of it access
/// different elements of each result.
bool separates(mlir::linalg::LinalgOp op, unsigned d);

/// If the loops only copy elements to another order of dimensions: the map from
/// the indices of the result to those of the operand. The identity is one, too.
std::optional<mlir::AffineMap> permutationOf(mlir::linalg::GenericOp op);

/// Whether the first results of the map are the first `rows` dimensions, which
/// no other result uses. An element then belongs to one row of the loops.
bool isRowWise(mlir::AffineMap map, size_t rows);

/// The memory of which `memory` is a view.
mlir::Value baseOf(mlir::Value memory);

/// Erases an allocated buffer with all remaining uses.
void eraseBuffer(mlir::Value buffer);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_NESTS_H
