// The places of tensors with sizes that are known only at run time: masked, cut
// and moved along a dimension.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_PADDEDBUFFERS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_PADDEDBUFFERS_H

#include "compiler/import/bounded/Sizes.h"
#include "dialects/graph/Reduce.h"

namespace weir {

/// The same tensor in a place of other bounds: at the end of each dimension it
/// is cut, or extended by zeros. Sizes stay as they are: a caller that cuts
/// must know that they fit.
mlir::Value paddedTo(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                     llvm::ArrayRef<int64_t> bounds);
/// The place with `fill` beyond the sizes, along `dims`, or along all.
Expr masked(mlir::ImplicitLocOpBuilder &b, const Traced &traced, double fill);
Expr masked(mlir::ImplicitLocOpBuilder &b, const Traced &traced, Expr fill,
            llvm::ArrayRef<int64_t> dims);
/// Puts zeros beyond the sizes. As a choice, and no product, so that a gradient
/// that comes back through it is zero there, too, even where it was no number.
void zeroBeyond(mlir::ImplicitLocOpBuilder &b, Traced &traced);
/// A scalar that changes nothing that it is combined with.
Expr identityOf(mlir::ImplicitLocOpBuilder &b, graph::Reduction kind,
                mlir::Type elementType);
/// A vector of Booleans: whether index `i` of `bound` is below the size.
Expr within(mlir::ImplicitLocOpBuilder &b, Size size);
/// 0, 1, ... of i64.
Expr iota(mlir::ImplicitLocOpBuilder &b, int64_t count);

/// A dimension of a tensor by indices along it, a vector i64; those that are
/// outside of the place are moved to its nearest end.
Traced takeAlong(mlir::ImplicitLocOpBuilder &b, const Traced &traced,
                 int64_t dim, Expr indices, Size size);
/// `size` elements of a dimension from `begin` on, a scalar i64.
Traced windowOf(mlir::ImplicitLocOpBuilder &b, const Traced &traced,
                int64_t dim, Expr begin, Size size);
/// The part at index `i` of a dimension, which disappears: an element of a
/// list, or a slice that a step of a loop scans.
Traced partAt(mlir::ImplicitLocOpBuilder &b, const Traced &traced, int64_t dim,
              mlir::Value i);
/// The tensor with a first dimension of size 1.
Traced withFront(mlir::ImplicitLocOpBuilder &b, const Traced &traced);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_PADDEDBUFFERS_H
