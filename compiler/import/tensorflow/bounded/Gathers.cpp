// Gathers from and by tensors of sizes known only at run time.

#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Checks that the indices that count are below the size.
void checkBounded(Node &node, const Traced &indices, Expr size) {
  Expr index(node.b, castTo(node.b, indices.value, node.b.getI64Type()));
  Traced fits = indices;
  fits.value = apply<graph::LogicalAndOp>(
                   apply<graph::GreaterEqualOp>(index, number(node.b, 0)),
                   apply<graph::LessOp>(index, size))
                   .value;
  require(node, masked(node.b, fits, 1), "an index is out of range");
}

LogicalResult importBoundedGather(Node &node) {
  if (failed(wantOperands(node, 2)) || failed(wantIndices(node, 1)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  int64_t axis = 0, batch = node.intAttr("batch_dims");
  if (node.size() > 2) {
    auto given = node.axisAt(2, node.rank(0));
    if (failed(given))
      return failure();
    axis = *given;
  }
  if (batch)
    return node.unsupported("batch dimensions of sizes known only at run time");
  const Traced &x = node.traced(0), &indices = node.traced(1);
  Sizes from = sizesOf(x), by = sizesOf(indices), sizes(from);
  if (axis >= node.rank(0))
    return node.error() << "cannot gather from " << node.type(0);
  checkBounded(node, indices, exactly(b, from[axis]));
  sizes.erase(sizes.begin() + axis);
  sizes.insert(sizes.begin() + axis, by.begin(), by.end());
  SmallVector<int64_t> bounds = boundsOf(sizes);
  Value place;
  if (llvm::is_contained(bounds, 0) || from[axis].bound == 0)
    place = splat(b, node.type(0).clone(bounds), 0);
  else
    place = make<graph::GatherOp>(b, x.value, indices.value, axis, 0);
  return node.tracedResults({withSizes(place, sizes)});
}

LogicalResult importGatherNd(Node &node) {
  if (failed(wantOperands(node, 2)) || failed(wantIndices(node, 1)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  const Traced &x = node.traced(0), &indices = node.traced(1);
  Sizes from = sizesOf(x), sizes = sizesOf(indices);
  if (!sizes.empty() && !sizes.back().isKnown())
    return node.unsupported("index vectors of a length known only at run time");
  if (sizes.empty() || sizes.back().bound > node.rank(0))
    return node.error() << "the index vectors of " << node.type(1)
                        << " do not suit " << node.type(0);
  int64_t length = sizes.pop_back_val().bound;
  bool isEmpty = false;
  for (int64_t k = 0; k < length; ++k) {
    Sizes one = sizes;
    one.push_back({1, {}});
    checkBounded(
        node,
        withSizes(slice(operand(node, 1), node.rank(1) - 1, k, 1).value, one),
        exactly(b, from[k]));
    isEmpty |= from[k].bound == 0;
  }
  sizes.append(from.begin() + length, from.end());
  SmallVector<int64_t> bounds = boundsOf(sizes);
  Value place;
  if (isEmpty || llvm::is_contained(bounds, 0))
    place = splat(b, node.type(0).clone(bounds), 0);
  else
    place = make<graph::GatherNdOp>(b, x.value, indices.value, 0);
  return node.tracedResults({withSizes(place, sizes)});
}

} // namespace

void addBoundedGatherHandlers(BoundedHandlers &handlers) {
  handlers["Gather"] = importBoundedGather;
  handlers["GatherV2"] = importBoundedGather;
  handlers["GatherNd"] = importGatherNd;
}

} // namespace weir::tensorflow
