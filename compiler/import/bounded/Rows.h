// Which elements or rows of a tensor count, where only the run knows.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_ROWS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_ROWS_H

#include "compiler/import/bounded/Sizes.h"
#include "dialects/graph/Index.h"

namespace weir {

/// Some of the places of a vector, in order.
struct Choice {
  /// The chosen places, and behind them others that are valid too.
  Expr places;
  /// How many are chosen.
  Size count;
};

/// The places of a vector of truth values that hold.
Choice choose(mlir::ImplicitLocOpBuilder &b, Expr mask);

/// Whether each element of the leading `count` dimensions lies within the
/// sizes: truth values of the shape of their bounds.
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
