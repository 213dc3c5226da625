// Properties of loop nests that several stages need.

#ifndef WEIR_DIALECTS_KERNEL_NESTS_H
#define WEIR_DIALECTS_KERNEL_NESTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::kernel {

/// Whether dimension `d` is parallel, and each result has other elements for
/// other values of it.
bool separates(mlir::linalg::LinalgOp op, unsigned d);

/// If the loops only copy elements to another order of dimensions: the map from
/// the indices of the result to those of the operand. The identity is one, too.
std::optional<mlir::AffineMap> permutationOf(mlir::linalg::GenericOp op);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_NESTS_H
