// Ops that are given a shape, or keep every element, for sizes known only at
// run time.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Places.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Counts.h"
#include "compiler/import/rules/Reshapes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

LogicalResult importReshape(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto wanted = listedScalars(node, 1);
  return failed(wanted) ? failure() : giveReshaped(node, *wanted);
}

LogicalResult importTranspose(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto permutation = node.integers(1);
  if (failed(permutation))
    return failure();
  if (failed(runOnPlaces(node, {})))
    return failure();
  Sizes from = sizesOf(node.traced(0)), to;
  for (int64_t dim : *permutation)
    to.push_back(from[dim < 0 ? dim + node.rank(0) : dim]);
  return giveSizes(node, 0, to);
}

LogicalResult importFill(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  if (node.rank(1) != 0)
    return node.error() << "cannot fill with " << node.type(1);
  auto sizes = sizesAt(node, 0);
  if (failed(sizes))
    return failure();
  return node.tracedResults({withSizes(
      broadcastTo(node.b, node.operand(1), boundsOf(*sizes)), *sizes)});
}

/// What Empty leaves open is zero.
LogicalResult importEmpty(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Type type = node.typeAttr("dtype");
  if (!type)
    return node.unsupported("its element type");
  auto sizes = sizesAt(node, 0);
  if (failed(sizes))
    return failure();
  auto place = RankedTensorType::get(boundsOf(*sizes), type);
  return node.tracedResults({withSizes(splat(node.b, place, 0), *sizes)});
}

LogicalResult importRange(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Type type = node.type(0).getElementType();
  for (unsigned i = 0; i < 3; ++i)
    if (node.type(i) != RankedTensorType::get({}, type))
      return node.error() << "operand " << i << " is " << node.type(i)
                          << ", no scalar of the type of the others";
  return giveCounted(node, operand(node, 0), operand(node, 1),
                     operand(node, 2));
}

LogicalResult importLinSpace(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr start = operand(node, 0), stop = operand(node, 1);
  auto counts = listedScalars(node, 2);
  if (failed(counts))
    return failure();
  if (counts->size() != 1)
    return node.error() << "has no number of points but " << node.type(2);
  if (start.rank() != 0 || stop.type() != start.type() ||
      !isa<FloatType>(start.elementType()))
    return node.error() << "has no range from " << start.type() << " to "
                        << stop.type();
  require(node, apply<graph::GreaterOp>(Expr(b, counts->front()), number(b, 0)),
          "makes no numbers");
  auto sizes = sizesFrom(node, *counts);
  if (failed(sizes))
    return failure();
  Expr last = exactly(b, sizes->front()) - 1, one = number(b, 1);
  Expr places = iota(b, sizes->front().bound);
  Expr step = (stop - start) / cast(maximum(last, one), start.elementType());
  Expr points = start + cast(places, start.elementType()) * step;
  // The last is `stop` itself, whatever the sums round to; a single one is not.
  Expr isLast =
      apply<graph::LogicalAndOp>(apply<graph::EqualOp>(places, last),
                                 apply<graph::GreaterEqualOp>(last, one));
  return node.tracedResults(
      {withSizes(select(isLast, stop, points).value, *sizes)});
}

/// What the run shows of the sizes that the node ensures.
LogicalResult importEnsureShape(Node &node) {
  const auto *wanted = node.attr("shape", "a shape");
  if (node.size() != 1 || !wanted)
    return node.error() << "wants one operand and a shape";
  auto shape = shapeOf(wanted->shape());
  if (failed(shape))
    return node.error() << "has no valid shape";
  Traced x = node.traced(0);
  if (!*shape)
    return node.tracedResults({x});
  Sizes sizes = sizesOf(x);
  if ((*shape)->size() != sizes.size())
    return node.error() << "a " << node.type(0)
                        << " is not of the shape that it ensures";
  for (auto [size, known] : llvm::zip_equal(sizes, **shape)) {
    if (ShapedType::isDynamic(known))
      continue;
    auto agreed = agreedSize(node, size, Size{known, {}}, "a dimension");
    if (failed(agreed))
      return failure();
    size = *agreed;
  }
  return node.tracedResults(
      {withSizes(inPlaceOf(node.b, x.value, boundsOf(sizes)), sizes)});
}

} // namespace

void addBoundedShapeHandlers(BoundedHandlers &handlers) {
  handlers["Reshape"] = {importReshape, {1}};
  handlers["Transpose"] = importTranspose;
  handlers["EnsureShape"] = importEnsureShape;
  handlers["Fill"] = {importFill, {0}};
  handlers["Empty"] = {importEmpty, {0}};
  handlers["Range"] = {importRange, {0, 1, 2}};
  handlers["LinSpace"] = {importLinSpace, {2}};
}

} // namespace weir::tensorflow
