// Repeats and broadcasts, each dimension by the index that an element comes
// from.

#include "compiler/import/rules/Repeats.h"

#include "compiler/import/bounded/Places.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir {

LogicalResult giveTiled(TracedNode &node, ArrayRef<Value> multiples) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  if (multiples.size() != from.size())
    return node.error() << "has " << multiples.size() << " multiples for "
                        << node.type(0);
  SmallVector<Value> wanted;
  for (auto [size, times] : llvm::zip_equal(from, multiples))
    wanted.push_back(knownNumber(times) == 1
                         ? exactly(b, size).value
                         : (exactly(b, size) * Expr(b, times)).value);
  auto sizes = sizesFrom(node, wanted);
  if (failed(sizes))
    return failure();
  Traced result = node.traced(0);
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    if (size == from[i])
      continue;
    Expr period = maximum(exactly(b, from[i]), number(b, 1));
    result =
        takeAlong(b, result, i,
                  apply<graph::FloorModOp>(iota(b, size.bound), period), size);
  }
  return node.tracedResults({result});
}

LogicalResult giveBroadcast(TracedNode &node, ArrayRef<Size> sizes) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  if (from.size() > sizes.size())
    return node.error() << "cannot broadcast " << node.type(0) << " to "
                        << sizes.size() << " dimensions";
  from.insert(from.begin(), sizes.size() - from.size(), Size{1, {}});
  Traced result = reshapeBounded(b, node.traced(0), from);
  Expr one = number(b, 1);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size == from[i] || (from[i].isKnown() && from[i].bound == 1))
      continue;
    Expr n = exactly(b, from[i]), isOne = apply<graph::EqualOp>(n, one);
    require(node,
            apply<graph::LogicalOrOp>(
                isOne, apply<graph::EqualOp>(n, exactly(b, size))),
            "dimension " + Twine(i) + " does not broadcast");
    result = takeAlong(b, result, i,
                       select(isOne, number(b, 0), iota(b, size.bound)), size);
  }
  Value place = broadcastTo(b, result.value, boundsOf(sizes));
  return node.tracedResults({withSizes(place, sizes)});
}

} // namespace weir
