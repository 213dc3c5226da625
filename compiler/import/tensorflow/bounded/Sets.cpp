// Vectors as sets: each value once, and those of one without another's.

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/IndexNodes.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Each value once, in the order of their first places; which of them each
/// element is; and how many are.
LogicalResult importUnique(Node &node) {
  if (failed(wantUniqueOperands(node)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr x = operand(node, 0);
  Sizes sizes = sizesOf(node.traced(0));
  int64_t size = x.size(0);
  Expr real = inside(b, sizes, 1), firsts = firstEquals(b, x, real);
  Expr isFirst = apply<graph::LogicalAndOp>(
      real, apply<graph::EqualOp>(firsts, iota(b, size)));
  Choice chosen = choose(b, isFirst);
  Expr ranks = runningSum(cast(isFirst, b.getI64Type()), /*exclusive=*/true);
  Expr which = gather(ranks, firsts, 0),
       values = gather(x, chosen.positions, 0);
  if (!which || !values)
    return give(node, Expr());
  Type type = typeAttrOr(node, "out_idx", b.getI32Type());
  SmallVector<Traced> results{withSizes(values.value, {chosen.count}),
                              withSizes(castTo(b, which.value, type), sizes)};
  if (node.op().starts_with("UniqueWithCounts")) {
    Expr none = filled(node, {chosen.count.bound}, b.getI64Type(), 0);
    Expr counts =
        scatterRows(none, select(real, which, which.like(-1)),
                    broadcast(number(b, 1), {size}), graph::Combiner::add);
    results.push_back(withSizes(castTo(b, counts.value, type), {chosen.count}));
  }
  return node.tracedResults(std::move(results));
}

/// The elements of one vector that are not in the other, and their indices.
LogicalResult importListDiff(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  if (node.rank(0) != 1 || node.rank(1) != 1 ||
      node.type(0).getElementType() != node.type(1).getElementType())
    return node.error() << "cannot take " << node.type(1) << " from "
                        << node.type(0);
  ImplicitLocOpBuilder &b = node.b;
  Expr x = operand(node, 0), y = operand(node, 1);
  Expr mine = inside(b, sizesOf(node.traced(0)), 1),
       theirs = inside(b, sizesOf(node.traced(1)), 1);
  int64_t others = y.size(0), size = x.size(0);
  // What is met among the others first is among them.
  Expr firsts = firstEquals(b, concat({y, x}, 0), concat({theirs, mine}, 0));
  Expr isOwn = apply<graph::GreaterEqualOp>(slice(firsts, 0, others, size),
                                            number(b, others));
  Choice chosen = choose(b, apply<graph::LogicalAndOp>(mine, isOwn));
  Expr values = gather(x, chosen.positions, 0);
  if (!values)
    return give(node, values);
  Type type = typeAttrOr(node, "out_idx", b.getI32Type());
  return node.tracedResults(
      {withSizes(values.value, {chosen.count}),
       withSizes(castTo(b, chosen.positions.value, type), {chosen.count})});
}

} // namespace

void addBoundedSetHandlers(BoundedHandlers &handlers) {
  for (StringRef op :
       {"Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2"})
    handlers[op] = {importUnique, {0}};
  handlers["ListDiff"] = {importListDiff, {0, 1}};
}

} // namespace weir::tensorflow
