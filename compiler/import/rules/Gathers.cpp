// Gathers from and by tensors of sizes known only at run time.

#include "compiler/import/rules/Gathers.h"

#include "compiler/import/bounded/Rows.h"

#include "compiler/import/bounded/Places.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir {

/// Checks that the indices that count are below the size.
static void checkBounded(TracedNode &node, const Traced &indices, Expr size) {
  Expr index(node.b, castTo(node.b, indices.value, node.b.getI64Type()));
  Traced fits = indices;
  fits.value = apply<graph::LogicalAndOp>(
                   apply<graph::GreaterEqualOp>(index, number(node.b, 0)),
                   apply<graph::LessOp>(index, size))
                   .value;
  require(node, masked(node.b, fits, 1), "an index is out of range");
}

LogicalResult giveGathered(TracedNode &node, Traced indices, int64_t axis,
                           int64_t batch) {
  ImplicitLocOpBuilder &b = node.b;
  Traced x = node.traced(0);
  auto depth = static_cast<int64_t>(sizesOf(indices).size());
  if (axis >= node.rank(0) || batch < 0 || batch > axis || batch > depth)
    return node.error() << "cannot gather from " << node.type(0) << " by "
                        << indices.value.getType() << " along " << axis
                        << " with " << batch << " batch dimensions";
  if (failed(shareSizes(node, x, indices, batch)))
    return failure();
  Sizes from = sizesOf(x), by = sizesOf(indices), sizes(from);
  checkBounded(node, indices, exactly(b, from[axis]));
  sizes.erase(sizes.begin() + axis);
  sizes.insert(sizes.begin() + axis, by.begin() + batch, by.end());
  SmallVector<int64_t> bounds = boundsOf(sizes);
  Value place;
  if (llvm::is_contained(bounds, 0) || from[axis].bound == 0)
    place = splat(b, node.type(0).clone(bounds), 0);
  else
    place = make<graph::GatherOp>(b, x.value, indices.value, axis, batch);
  return node.tracedResults({withSizes(place, sizes)});
}

LogicalResult giveGatheredNd(TracedNode &node, Traced indices, size_t batch) {
  ImplicitLocOpBuilder &b = node.b;
  Traced x = node.traced(0);
  Sizes sizes = sizesOf(indices);
  if (!sizes.empty() && !sizes.back().isKnown())
    return node.unsupported("index vectors of a length known only at run time");
  auto rank = static_cast<size_t>(node.rank(0));
  if (sizes.empty() || batch >= sizes.size() || batch > rank ||
      sizes.back().bound > static_cast<int64_t>(rank - batch))
    return node.error() << "the index vectors of " << indices.value.getType()
                        << " do not suit " << node.type(0);
  if (failed(shareSizes(node, x, indices, batch)))
    return failure();
  Expr places(b, indices.value);
  Sizes from = sizesOf(x);
  sizes = sizesOf(indices);
  int64_t length = sizes.pop_back_val().bound;
  for (int64_t k = 0; k < length; ++k) {
    Sizes one = sizes;
    one.push_back({1, {}});
    checkBounded(node,
                 withSizes(slice(places, places.rank() - 1, k, 1).value, one),
                 exactly(b, from[batch + k]));
  }
  bool isEmpty = llvm::is_contained(boundsOf(from), 0);
  sizes.append(from.begin() + batch + length, from.end());
  SmallVector<int64_t> bounds = boundsOf(sizes);
  Value place;
  if (isEmpty || llvm::is_contained(bounds, 0))
    place = splat(b, node.type(0).clone(bounds), 0);
  else
    place = make<graph::GatherNdOp>(b, x.value, places.value, batch);
  return node.tracedResults({withSizes(place, sizes)});
}

} // namespace weir
