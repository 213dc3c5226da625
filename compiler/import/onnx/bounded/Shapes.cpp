// Nodes that tell a shape or are given one, where sizes are known only at run
// time.

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/onnx/bounded/Bounded.h"
#include "compiler/import/onnx/shape/Ranges.h"
#include "compiler/import/rules/Counts.h"
#include "compiler/import/rules/Repeats.h"
#include "compiler/import/rules/Reshapes.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::onnx {
namespace {

LogicalResult importConstantOfShape(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  auto sizes = sizesAt(node, 0);
  if (failed(sizes))
    return failure();
  // The node's own handler makes one element of it.
  Traced none{list(node, {}).value, {}, nullptr};
  if (failed(node.runOn(none)))
    return failure();
  Value one = node.given.front().value;
  return node.tracedResults(
      {withSizes(broadcastTo(node.b, one, boundsOf(*sizes)), *sizes)});
}

LogicalResult importRange(Node &node) {
  FailureOr<SmallVector<Expr>> limits = rangeOperands(node);
  if (failed(limits))
    return failure();
  return giveCounted(node, (*limits)[0], (*limits)[1], (*limits)[2],
                     /*mayBeNone=*/true);
}

} // namespace

void addBoundedShapeHandlers(BoundedHandlers &handlers) {
  handlers["ConstantOfShape"] = {importConstantOfShape, {0}, true};
  handlers["Range"] = {importRange, {0, 1, 2}, true};
}

} // namespace weir::onnx
