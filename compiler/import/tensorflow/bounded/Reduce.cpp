// Reductions, places of extremes and cumulative nodes along dimensions of sizes
// known only at run time: the node's own handler works on a place in which what
// lies beyond the sizes does not count.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Means.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/elementwise/ReduceNodes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::tensorflow {

namespace {

using graph::Reduction;

/// Operand 0 with what changes nothing beyond its sizes along `dims`.
Expr neutral(Node &node, Reduction kind, ArrayRef<int64_t> dims) {
  Expr fill = identityOf(node.b, kind, node.type(0).getElementType());
  return masked(node.b, node.traced(0), fill, dims);
}

template <Reduction kind>
LogicalResult importReduction(Node &node) {
  auto reduced = reducedOf(node, Elements::any);
  if (failed(reduced))
    return failure();
  if (failed(
          runOnPaddedBuffers(node, {neutral(node, kind, reduced->dims).value})))
    return failure();
  return giveSizes(node, 0, leftOf(node, reduced->dims, reduced->keep));
}

/// The mean of the elements that there are.
LogicalResult importMean(Node &node) {
  auto reduced = reducedOf(node, Elements::numbers);
  if (failed(reduced))
    return failure();
  return giveMean(node, reduced->dims, reduced->keep);
}

template <Reduction kind>
LogicalResult importArg(Node &node) {
  if (node.size() != 2)
    return node.error() << "has " << node.size() << " operands instead of 2";
  auto axis = node.axisAt(1, node.rank(0));
  if (failed(axis))
    return failure();
  if (failed(runOnPaddedBuffers(node, {neutral(node, kind, {*axis}).value})))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  Size along = sizes[*axis];
  sizes.erase(sizes.begin() + *axis);
  if (!along.isKnown()) {
    ImplicitLocOpBuilder &b = node.b;
    Expr size = exactly(b, along), positions(b, node.given[0].value);
    // Where nothing else is in the row, there may be no row.
    Expr none = apply<graph::LessOp>(size, number(b, 1));
    for (const Size &other : sizes)
      none = apply<graph::LogicalAndOp>(
          none, apply<graph::GreaterOp>(exactly(b, other), number(b, 0)));
    require(node, apply<graph::LogicalNotOp>(none),
            "finds no element along axis " + Twine(*axis));
    // A row without a number in it has its place at its start.
    node.given[0].value =
        select(apply<graph::LessOp>(positions,
                                    cast(size, positions.elementType())),
               positions, positions.like(0))
            .value;
  }
  return giveSizes(node, 0, sizes);
}

template <Reduction kind>
LogicalResult importCumulative(Node &node) {
  if (node.size() != 2)
    return node.error() << "has " << node.size() << " operands instead of 2";
  auto axis = node.axisAt(1, node.rank(0));
  if (failed(axis) ||
      failed(runOnPaddedBuffers(node, {neutral(node, kind, {*axis}).value})))
    return failure();
  return giveSizes(node, 0, sizesOf(node.traced(0)));
}

/// Along the last dimension.
LogicalResult importSoftmax(Node &node) {
  if (node.size() != 1)
    return node.error() << "has " << node.size() << " operands instead of 1";
  SmallVector<int64_t> last;
  if (node.rank(0) > 0)
    last.push_back(node.rank(0) - 1);
  if (failed(runOnPaddedBuffers(node,
                                {neutral(node, Reduction::max, last).value})))
    return failure();
  return giveSizes(node, 0, sizesOf(node.traced(0)));
}

LogicalResult importSumOfAll(Node &node) {
  return runOnPaddedBuffers(node, {masked(node.b, node.traced(0), 0).value});
}

} // namespace

void addBoundedReduceHandlers(BoundedHandlers &handlers) {
  handlers["Sum"] = importReduction<Reduction::sum>;
  handlers["Prod"] = importReduction<Reduction::prod>;
  handlers["Max"] = importReduction<Reduction::max>;
  handlers["Min"] = importReduction<Reduction::min>;
  handlers["All"] = importReduction<Reduction::and_>;
  handlers["Any"] = importReduction<Reduction::or_>;
  handlers["EuclideanNorm"] = importReduction<Reduction::sum>;
  handlers["Mean"] = importMean;
  handlers["ArgMax"] = importArg<Reduction::max>;
  handlers["ArgMin"] = importArg<Reduction::min>;
  handlers["Cumsum"] = importCumulative<Reduction::sum>;
  handlers["Cumprod"] = importCumulative<Reduction::prod>;
  handlers["CumulativeLogsumexp"] = importCumulative<Reduction::logSumExp>;
  handlers["Softmax"] = importSoftmax;
  handlers["LogSoftmax"] = importSoftmax;
  handlers["L2Loss"] = importSumOfAll;
}

} // namespace weir::tensorflow
