// Which elements or rows of a tensor count, where only the run knows.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_ROWS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_ROWS_H

#include "compiler/import/bounded/Sizes.h"
#include "dialects/graph/Index.h"

namespace weir {

/// Selected positions of a vector, in order.
struct Choice {
  /// The selected positions, followed by other valid ones.
  Expr positions;
  /// The number of selected positions.
  Size count;
};

/// The positions of the true elements of a vector of Booleans.
Choice choose(mlir::ImplicitLocOpBuilder &b, Expr mask);

/// A mask of the leading `count` dimensions: whether each element is within the
/// sizes.
Expr inside(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Size> sizes,
            size_t count);

/// Checks that the leading `count` dimensions of two tensors have the same
/// sizes, and brings both into places that share those bounds.
mlir::LogicalResult shareSizes(TracedNode &node, Traced &x, Traced &y,
                               size_t count);

/// A tensor whose leading `count` dimensions are one, without its sizes.
Expr joinRows(mlir::ImplicitLocOpBuilder &b, const Traced &traced,
              size_t count);

/// `x` with `updates` at `indices`, which are vectors along the last dimension;
/// vectors outside are dropped.
Expr scatter(Expr x, Expr indices, Expr updates,
             graph::Combiner combiner = graph::Combiner::update);
/// The same for a vector of indices of the first dimension.
Expr scatterRows(Expr x, Expr indices, Expr updates,
                 graph::Combiner combiner = graph::Combiner::update);

/// Sums of the elements of a vector up to each one, or before it.
Expr runningSum(Expr x, bool exclusive);

/// For each element of a vector the place of the first one that is `real` and
/// equal to it; the number of places where there is none. No NaN is equal to
/// another.
Expr firstEquals(mlir::ImplicitLocOpBuilder &b, Expr x, Expr real);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_ROWS_H
