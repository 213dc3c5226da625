// Ops that are given a shape, or keep every element, for sizes known only at
// run time.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Reshapes.h"
#include "compiler/import/tensorflow/Types.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

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
  Expr positions = iota(b, sizes->front().bound);
  Expr step = (stop - start) / cast(maximum(last, one), start.elementType());
  Expr points = start + cast(positions, start.elementType()) * step;
  // The last is `stop` itself, whatever the sums round to; a single one is not.
  Expr isLast =
      apply<graph::LogicalAndOp>(apply<graph::EqualOp>(positions, last),
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
      {withSizes(paddedTo(node.b, x.value, boundsOf(sizes)), sizes)});
}

} // namespace

void addBoundedShapeHandlers(BoundedHandlers &handlers) {
  handlers["EnsureShape"] = importEnsureShape;
  handlers["LinSpace"] = {importLinSpace, {2}};
}

} // namespace weir::tensorflow
