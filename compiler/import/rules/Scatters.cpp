// Tensors with slices replaced, or combined with updates, where sizes are known
// only at run time.

#include "compiler/import/rules/Scatters.h"

#include "compiler/import/bounded/Rows.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir {

LogicalResult giveScattered(TracedNode &node, const Traced &x, Traced indices,
                            Traced updates, graph::Combiner combiner) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes into = sizesOf(x), vectors = sizesOf(indices), parts = sizesOf(updates);
  if (vectors.empty() || !vectors.back().isKnown() ||
      !isOf(typeOf(indices.value).getElementType(), Elements::integers))
    return node.error() << "holds no index vectors but "
                        << indices.value.getType();
  size_t rank = vectors.size() - 1, length = vectors.back().bound;
  if (length > into.size() || typeOf(updates.value).getElementType() !=
                                  typeOf(x.value).getElementType())
    return node.error() << "cannot put " << updates.value.getType() << " at "
                        << indices.value.getType() << " of "
                        << x.value.getType();
  ArrayRef<Size> rest = ArrayRef(into).drop_front(length);
  if (parts.size() != rank + rest.size())
    return node.error() << "the updates are " << updates.value.getType()
                        << " for slices of " << x.value.getType();
  bool isBoolean = typeOf(x.value).getElementType().isInteger(1);
  if (isBoolean && combiner != graph::Combiner::update &&
      combiner != graph::Combiner::min && combiner != graph::Combiner::max)
    return node.error() << "cannot " << graph::stringifyCombiner(combiner)
                        << " Booleans";
  if (failed(shareSizes(node, indices, updates, rank)))
    return failure();
  // The slices of both have the same sizes: compared from the front on.
  parts = sizesOf(updates);
  Traced rows = withSizes(
      splat(b, RankedTensorType::get(boundsOf(rest), b.getI1Type()), 0), rest);
  Traced own = withSizes(
      splat(b,
            RankedTensorType::get(ArrayRef(boundsOf(parts)).drop_front(rank),
                                  b.getI1Type()),
            0),
      ArrayRef(parts).drop_front(rank));
  if (failed(shareSizes(node, rows, own, rest.size())))
    return failure();
  SmallVector<int64_t> bounds = boundsOf(ArrayRef(parts).take_front(rank));
  llvm::append_range(bounds, boundsOf(rest));
  Expr values(b, paddedTo(b, updates.value, bounds));

  Expr real = inside(b, sizesOf(indices), rank);
  SmallVector<int64_t> columns(real.shape());
  columns.push_back(1);
  real = reshape(real, columns);
  Expr all(b, indices.value);
  for (size_t k = 0; k < length; ++k) {
    Expr index = cast(slice(all, rank, k, 1), b.getI64Type());
    Expr fits = apply<graph::LogicalAndOp>(
        apply<graph::GreaterEqualOp>(index, number(b, 0)),
        apply<graph::LessOp>(index, exactly(b, into[k])));
    require(node,
            apply<graph::LogicalOrOp>(fits, apply<graph::LogicalNotOp>(real)),
            "an index is not below the size of dimension " + Twine(k));
  }
  // Without indices all updates go to the whole: those beyond must not.
  if (length == 0 && rank > 0 &&
      !llvm::all_of(ArrayRef(sizesOf(indices)).take_front(rank),
                    [](const Size &size) { return size.isKnown(); }))
    return node.unsupported("index vectors without indices");
  Expr result = scatter(Expr(b, x.value), select(real, all, all.like(-1)),
                        values, combiner);
  if (!result)
    return give(node, result);
  return node.tracedResults({withSizes(result.value, into)});
}

} // namespace weir
