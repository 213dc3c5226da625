// Slices of a tensor at indices.

#ifndef WEIR_COMPILER_IMPORT_RULES_GATHERS_H
#define WEIR_COMPILER_IMPORT_RULES_GATHERS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// Checks, at compile time or at run time, that each index lies in
/// 0 .. size-1 (or is negative, where that is fine).
mlir::LogicalResult checkIndices(TracedNode &node, unsigned operand,
                                 Expr indices, int64_t size,
                                 bool negativeIsFine = false);

/// Slices of `x` by vectors of indices, which are valid. The leading `batch`
/// dimensions of both are the same.
Expr gatherNd(Expr x, Expr indices, int64_t batch);

/// Slices of operand 0 along a dimension by the indices of operand 1; those
/// that count are checked to be in it. The leading `batch` dimensions of both
/// are the same.
mlir::LogicalResult giveGathered(TracedNode &node, Traced indices, int64_t axis,
                                 int64_t batch = 0);
/// Slices of operand 0 by vectors of indices, checked likewise. The leading
/// `batch` dimensions of both are the same.
mlir::LogicalResult giveGatheredNd(TracedNode &node, Traced indices,
                                   size_t batch = 0);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_GATHERS_H
