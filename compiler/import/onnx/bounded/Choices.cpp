// Nodes that keep elements by their values, or as many as an operand says: how
// many these are is known only at run time.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/onnx/bounded/Bounded.h"
#include "compiler/import/onnx/image/Boxes.h"
#include "compiler/import/rules/Coordinates.h"
#include "compiler/import/rules/Tops.h"

#include "dialects/graph/Elementwise.h"

#include <limits>

using namespace mlir;

namespace weir::onnx {
namespace {

LogicalResult importNonZero(Node &node) {
  return failed(wantOperands(node, 1, 1))
             ? failure()
             : giveCoordinates(node, Vectors::ofDims);
}

/// Operand 0 with all dimensions as one.
FailureOr<Traced> flat(Node &node) {
  Sizes from = sizesOf(node.traced(0));
  auto size = sizesFrom(node, {product(node.b, from, 0, from.size()).value},
                        {node.type(0).getNumElements()});
  if (failed(size))
    return failure();
  return reshapeBounded(node.b, node.traced(0), *size);
}

/// The slices along an axis, or the elements, whose mask is true. The mask may
/// be shorter than the axis.
LogicalResult importCompress(Node &node) {
  if (failed(wantOperands(node, 2, 2)) ||
      failed(wantElements(node, 1, Elements::bools)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Traced x = node.traced(0);
  int64_t axis = 0;
  if (node.hasAttr("axis")) {
    FailureOr<int64_t> given = node.axis(node.intAttr("axis"), node.rank(0));
    if (failed(given))
      return failure();
    axis = *given;
  } else {
    auto all = flat(node);
    if (failed(all))
      return failure();
    x = *all;
  }
  if (node.rank(1) != 1)
    return node.error() << "keeps of " << node.type(0) << " by "
                        << node.type(1);
  Expr mask = both(operand(node, 1), inside(b, sizesOf(node.traced(1)), 1));
  const Size whole = sizesOf(x)[axis];
  Expr exists = less(iota(b, mask.size(0)), exactly(b, whole));
  require(node, either(isFalse(mask), exists),
          "keeps what is beyond dimension " + Twine(axis));
  Choice chosen = choose(b, both(mask, exists));
  return node.tracedResults(
      {takeAlong(b, x, axis, chosen.positions, chosen.count)});
}

/// What a search for the largest, or the smallest, comes to last.
Expr lastOf(Node &node, bool isLargest) {
  Type type = node.element(0);
  if (isLargest)
    return identityOf(node.b, graph::Reduction::max, type);
  // A NaN counts as greater than every number.
  if (isa<FloatType>(type))
    return operand(node, 0).like(std::numeric_limits<double>::quiet_NaN());
  return identityOf(node.b, graph::Reduction::min, type);
}

LogicalResult importTopK(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis", -1), node.rank(0));
  if (failed(axis))
    return failure();
  Size row = sizesOf(node.traced(0))[*axis], count{node.intAttr("k", -1), {}};
  if (node.has(1)) {
    auto k = listedScalar(node, 1);
    if (failed(k))
      return failure();
    auto known = knownNumber(*k);
    if (known && *known > row.bound)
      return node.error() << "takes " << *known << " of at most " << row.bound
                          << " elements";
    auto size = sizesFrom(node, {*k}, {row.bound});
    if (failed(size))
      return failure();
    count = size->front();
  }
  if (count.bound < 0)
    return node.missing("k");
  Expr taken = exactly(node.b, count), whole = exactly(node.b, row);
  if (!(intervalOf(taken.value).high <= intervalOf(whole.value).low) &&
      !isSame(taken.value, whole.value))
    require(node, apply<graph::LessEqualOp>(taken, whole),
            "takes more elements than there are");
  Expr last = lastOf(node, node.intAttr("largest", 1) != 0);
  return giveTop(node, *axis, last, count);
}

/// Marks beyond the depth are cut off. Places from the end are negative.
LogicalResult importOneHot(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  if (node.type(1).getNumElements() != 1)
    return node.error() << "has depth " << node.type(1);
  ImplicitLocOpBuilder &b = node.b;
  FailureOr<int64_t> axis =
      node.axis(node.intAttr("axis", -1), node.rank(0) + 1);
  if (failed(axis))
    return failure();
  Value depth = asSize(b, reshape(operand(node, 1), {}).value);
  Sizes sizes = sizesOf(node.traced(0));
  SmallVector<Value> scalars;
  for (const Size &size : sizes)
    scalars.push_back(number(b, size.bound).value);
  scalars.push_back(depth);
  auto all = sizesFrom(node, scalars);
  if (failed(all))
    return failure();
  const Size marks = all->back();
  Expr position = cast(operand(node, 0), b.getI64Type()), zero = number(b, 0);
  position =
      select(less(position, zero), position + exactly(b, marks), position);
  position = select(less(position, zero), number(b, marks.bound), position);
  if (failed(runOnPaddedBuffers(
          node, {position.value, splatBound(node, 1, marks), node.operand(2)})))
    return failure();
  sizes.insert(sizes.begin() + *axis, marks);
  return giveSizes(node, 0, sizes);
}

} // namespace

void addBoundedChoiceHandlers(BoundedHandlers &handlers) {
  handlers["Compress"] = {importCompress, {1}, true};
  handlers["NonMaxSuppression"] = {importBoundedSuppression, {0, 1, 2}, true};
  handlers["NonZero"] = {importNonZero, {0}, true};
  handlers["OneHot"] = {importOneHot, {1}, true};
  handlers["TopK"] = {importTopK, {1}, true};
}

} // namespace weir::onnx
