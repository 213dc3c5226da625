// Nodes that take elements from, or put them to, places that operands name,
// where sizes are known only at run time.

#include "compiler/import/rules/Gathers.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/bounded/Bounded.h"
#include "compiler/import/onnx/shape/Gathers.h"
#include "compiler/import/rules/Scatters.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// Operand `i`, integers of any sign, as indices from the first element of a
/// dimension of this size on.
Expr fromFirst(Node &node, unsigned i, Expr size) {
  Expr positions = cast(operand(node, i), node.b.getI64Type());
  return select(less(positions, positions.like(0)), positions + size,
                positions);
}

LogicalResult importGather(Node &node) {
  if (failed(wantOperands(node, 2, 2)) ||
      failed(wantElements(node, 1, Elements::integers)))
    return failure();
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), node.rank(0));
  if (failed(axis))
    return failure();
  Traced indices = node.traced(1);
  Expr size = exactly(node.b, sizesOf(node.traced(0))[*axis]);
  indices.value = fromFirst(node, 1, size).value;
  return giveGathered(node, indices, *axis);
}

LogicalResult importGatherNd(Node &node) {
  if (failed(wantOperands(node, 2, 2)) ||
      failed(wantElements(node, 1, Elements::integers)))
    return failure();
  int64_t batch = node.intAttr("batch_dims");
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  Traced indices = node.traced(1);
  Expr positions = cast(operand(node, 1), b.getI64Type());
  int64_t length = positions.rank() ? positions.shape().back() : 0;
  if (batch < 0 || length < 1 || length > node.rank(0) - batch)
    return node.error() << "the index vectors of " << node.type(1)
                        << " do not suit " << node.type(0);
  Expr sizes(b, listOf(b, ArrayRef(from).slice(batch, length), b.getI64Type()));
  indices.value =
      select(less(positions, positions.like(0)), positions + sizes, positions)
          .value;
  return giveGatheredNd(node, indices, batch);
}

/// Operand 1 names an element of operand 0 along `axis`, and where it stands
/// the others: as vectors.
FailureOr<Traced> vectorsAt(Node &node, int64_t axis) {
  if (node.rank(1) != node.rank(0) ||
      failed(wantElements(node, 1, Elements::integers)))
    return node.error() << "has places " << node.type(1) << " in "
                        << node.type(0);
  Sizes from = sizesOf(node.traced(0)), sizes = sizesOf(node.traced(1));
  Expr along = fromFirst(node, 1, exactly(node.b, from[axis]));
  Expr vectors = vectorsAlong(node, along, axis);
  sizes.push_back({node.rank(0), {}});
  return withSizes(vectors.value, sizes);
}

LogicalResult importGatherElements(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), node.rank(0));
  if (failed(axis))
    return failure();
  auto vectors = vectorsAt(node, *axis);
  return failed(vectors) ? failure() : giveGatheredNd(node, *vectors);
}

LogicalResult importScatterElements(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), node.rank(0));
  FailureOr<graph::Combiner> combiner = combinerOf(node);
  if (failed(axis) || failed(combiner))
    return failure();
  auto vectors = vectorsAt(node, *axis);
  return failed(vectors) ? failure()
                         : giveScattered(node, node.traced(0), *vectors,
                                         node.traced(2), *combiner);
}

LogicalResult importScatterNd(Node &node) {
  if (failed(wantOperands(node, 3, 3)) ||
      failed(wantElements(node, 1, Elements::integers)))
    return failure();
  FailureOr<graph::Combiner> combiner = combinerOf(node);
  if (failed(combiner))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  int64_t length = node.rank(1) ? node.shape(1).back() : 0;
  if (length < 1 || length > node.rank(0))
    return node.error() << "the index vectors of " << node.type(1)
                        << " do not suit " << node.type(0);
  Expr sizes(b, listOf(b, ArrayRef(from).take_front(length), b.getI64Type()));
  Traced indices = node.traced(1);
  indices.value = fromFirst(node, 1, sizes).value;
  return giveScattered(node, node.traced(0), indices, node.traced(2),
                       *combiner);
}

/// Each batch's update goes into its cache from the place on that operand 2
/// names, or from the first; in a circle where that is the mode.
LogicalResult importTensorScatter(Node &node) {
  if (failed(wantOperands(node, 2, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis", -2), node.rank(0));
  if (failed(axis))
    return failure();
  StringRef mode = node.stringAttr("mode", "linear");
  if (*axis == 0 || node.rank(1) != node.rank(0) ||
      (mode != "linear" && mode != "circular"))
    return node.error() << "writes " << node.type(1) << " into " << node.type(0)
                        << " along dimension " << *axis << " in mode '"
                        << escaped(mode, 20) << "'";
  Sizes cache = sizesOf(node.traced(0)), sizes = sizesOf(node.traced(1));
  Expr at = onnx::iota(node, node.shape(1), b.getI64Type(), *axis);
  if (node.has(2)) {
    Expr first = cast(operand(node, 2), b.getI64Type());
    if (first.rank() != 1)
      return node.error() << "has places " << first.type();
    auto batch = agreedSize(node, sizes[0], sizesOf(node.traced(2))[0],
                            "places and updates");
    if (failed(batch))
      return failure();
    Integers column(node.rank(0), 1);
    column[0] = sizes[0].bound;
    at = at +
         reshape(Expr(b, paddedTo(b, first.value, {sizes[0].bound})), column);
  }
  Expr size = exactly(b, cache[*axis]);
  if (mode == "circular")
    at = apply<graph::FloorModOp>(at, maximum(size, size.like(1)));
  sizes.push_back({node.rank(0), {}});
  Traced vectors = withSizes(vectorsAlong(node, at, *axis).value, sizes);
  return giveScattered(node, node.traced(0), vectors, node.traced(1),
                       graph::Combiner::update);
}

} // namespace

void addBoundedGatherHandlers(BoundedHandlers &handlers) {
  handlers["Gather"] = importGather;
  handlers["GatherElements"] = importGatherElements;
  handlers["GatherND"] = importGatherNd;
  handlers["Scatter"] = importScatterElements;
  handlers["ScatterElements"] = importScatterElements;
  handlers["ScatterND"] = importScatterNd;
  handlers["TensorScatter"] = importTensorScatter;
}

} // namespace weir::onnx
