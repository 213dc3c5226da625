// The largest of rows and rows of marks, where sizes are known only at run
// time.

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Tops.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Marks beyond the depth are cut off.
LogicalResult importOneHot(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  auto depth = listedScalar(node, 1);
  if (failed(depth))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  SmallVector<Value> scalars;
  for (const Size &size : sizes)
    scalars.push_back(number(node.b, size.bound).value);
  scalars.push_back(*depth);
  auto all = sizesFrom(node, scalars);
  if (failed(all))
    return failure();
  if (failed(runOnPaddedBuffers(
          node, {node.operand(0), splatBound(node, 1, all->back())})))
    return failure();
  int64_t axis = node.intAttr("axis", -1);
  sizes.insert(axis == -1 ? sizes.end() : sizes.begin() + axis, all->back());
  return giveSizes(node, 0, sizes);
}

LogicalResult importTopK(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  if (node.rank(0) < 1)
    return node.error() << "takes the largest of rows, not of " << node.type(0);
  Size row = sizesOf(node.traced(0)).back(), count{node.intAttr("k"), {}};
  if (node.size() > 1) {
    auto k = listedScalar(node, 1);
    if (failed(k))
      return failure();
    auto size = sizeFrom(node, *k, row.bound);
    if (failed(size))
      return failure();
    count = *size;
  }
  if (!row.isKnown() || !count.isKnown())
    require(
        node,
        apply<graph::LessEqualOp>(exactly(node.b, count), exactly(node.b, row)),
        "takes more than there are in a row");
  Expr least =
      identityOf(node.b, graph::Reduction::max, node.type(0).getElementType());
  return giveTop(node, node.rank(0) - 1, least, count);
}

LogicalResult importInTopK(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  if (node.rank(0) != 2 || node.rank(1) != 1)
    return node.error() << "cannot look for " << node.type(1) << " in "
                        << node.type(0);
  Sizes sizes = sizesOf(node.traced(0));
  if (!sizes.back().isKnown())
    return node.unsupported("classes whose number is known only at run time");
  auto rows = agreedSize(node, sizes[0], sizesOf(node.traced(1))[0],
                         "operands along dimension 0");
  if (failed(rows))
    return failure();
  if (failed(runOnPaddedBuffers(
          node,
          {paddedTo(node.b, node.operand(0), {rows->bound, sizes[1].bound}),
           paddedTo(node.b, node.operand(1), {rows->bound})})))
    return failure();
  return giveSizes(node, 0, {*rows});
}

} // namespace

void addBoundedOrderHandlers(BoundedHandlers &handlers) {
  handlers["OneHot"] = {importOneHot, {1}};
  handlers["TopK"] = importTopK;
  handlers["TopKV2"] = {importTopK, {1}};
  handlers["InTopK"] = importInTopK;
  handlers["InTopKV2"] = importInTopK;
}

} // namespace weir::tensorflow
