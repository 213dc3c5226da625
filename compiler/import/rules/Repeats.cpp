// Repeats and broadcasts, each dimension by the index that an element comes
// from.

#include "compiler/import/rules/Repeats.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir {

/// Of known sizes, each dimension becomes two, repetitions first, which are
/// then one.
static LogicalResult giveTiledKnown(TracedNode &node,
                                    ArrayRef<int64_t> multiples) {
  SmallVector<int64_t> split, repeated, whole;
  for (auto [size, times] : llvm::zip_equal(node.shape(0), multiples)) {
    int64_t product;
    if (times < 0 || llvm::MulOverflow(size, times, product))
      return node.error() << "repeats " << node.type(0) << " by [" << multiples
                          << "]";
    split.append({1, size});
    repeated.append({times, size});
    whole.push_back(product);
  }
  if (!byteSize(whole, 1) || !byteSize(repeated, 1))
    return node.error() << "repeats " << node.type(0) << " by [" << multiples
                        << "]";
  Expr x = reshape(operand(node, 0), split);
  return give(node, reshape(broadcast(x, repeated), whole));
}

LogicalResult giveTiled(TracedNode &node, ArrayRef<Value> multiples) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  if (multiples.size() != from.size())
    return node.error() << "has " << multiples.size() << " multiples for "
                        << node.type(0);
  if (auto known = knownNumbers(multiples);
      known && !node.traced(0).isBounded())
    return giveTiledKnown(node, *known);
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
  if (areKnown(from) && areKnown(sizes)) {
    SmallVector<int64_t> shape = boundsOf(sizes);
    auto common = broadcastShapes(node.shape(0), shape);
    if (failed(common) || *common != shape)
      return node.error() << "cannot broadcast " << node.type(0) << " to ["
                          << shape << "]";
    return give(node, broadcast(operand(node, 0), shape));
  }
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
  Value position = broadcastTo(b, result.value, boundsOf(sizes));
  return node.tracedResults({withSizes(position, sizes)});
}

} // namespace weir
