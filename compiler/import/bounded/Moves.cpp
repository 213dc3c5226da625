// Tensors repeated, padded and broadcast, where sizes are known only at run
// time: each dimension by the index that an element comes from.

#include "compiler/import/bounded/Rules.h"

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

/// The places of one dimension of `size` elements that those of a wider one
/// come from: `at` counts from the first of them.
static Expr comesFrom(Expr at, Expr size, Edges edges) {
  Expr before = apply<graph::LessOp>(at, at.like(0));
  Expr after = apply<graph::GreaterEqualOp>(at, size);
  double edge = edges == Edges::symmetric ? 1 : 0;
  switch (edges) {
  case Edges::value:
    break;
  case Edges::reflect:
  case Edges::symmetric:
    return select(before, -at - edge,
                  select(after, size * 2.0 - (2.0 - edge) - at, at));
  case Edges::nearest:
    return minimum(maximum(at, at.like(0)), size - 1.0);
  case Edges::wrap:
    return apply<graph::FloorModOp>(at, maximum(size, size.like(1)));
  }
  return at;
}

LogicalResult givePadded(TracedNode &node, const Margins &margins, Expr value) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  bool mirrors =
      margins.edges == Edges::reflect || margins.edges == Edges::symmetric;
  double edge = margins.edges == Edges::symmetric ? 1 : 0;
  SmallVector<Value> wanted;
  SmallVector<bool> isWhole;
  for (auto [size, low, high] :
       llvm::zip_equal(from, margins.low, margins.high)) {
    Expr n = exactly(b, size);
    Expr zero = number(b, 0);
    for (Expr margin : {low, high}) {
      require(node,
              apply<graph::GreaterEqualOp>(margin, margins.mayCut ? -n : zero),
              margins.mayCut ? "cuts more than there is"
                             : "a margin is negative");
      // So that sums of margins stay what they are.
      require(node,
              apply<graph::LessEqualOp>(margin, number(b, int64_t(1) << 40)),
              "a margin is too wide");
      if (mirrors)
        require(node, apply<graph::LessEqualOp>(margin, n - 1.0 + edge),
                "a margin is wider than what it mirrors");
    }
    if (margins.mayCut)
      require(node,
              apply<graph::GreaterEqualOp>(
                  n + minimum(low, zero) + minimum(high, zero), zero),
              "cuts more than there is");
    isWhole.push_back(knownNumber(low.value) == 0 &&
                      knownNumber(high.value) == 0);
    wanted.push_back(isWhole.back() ? n.value : (n + low + high).value);
  }
  auto sizes = sizesFrom(node, wanted);
  if (failed(sizes))
    return failure();
  Traced result = node.traced(0);
  SmallVector<int64_t> low(from.size(), 0), high = low, none = low;
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    if (isWhole[i])
      continue;
    auto before = knownNumber(margins.low[i].value);
    if (margins.edges == Edges::value && before && *before >= 0 &&
        *before <= size.bound) {
      // The place keeps its order: what does not count is the value.
      int64_t kept = std::min(from[i].bound, size.bound - *before);
      result.value = masked(b, result, value, static_cast<int64_t>(i)).value;
      SmallVector<int64_t> bounds(typeOf(result.value).getShape());
      bounds[i] = kept;
      result.value = inPlaceOf(b, result.value, bounds);
      low[i] = *before;
      high[i] = size.bound - kept - *before;
      continue;
    }
    Expr n = exactly(b, from[i]), at = iota(b, size.bound) - margins.low[i];
    result = takeAlong(b, result, i, comesFrom(at, n, margins.edges), size);
    if (margins.edges != Edges::value)
      continue;
    SmallVector<int64_t> shape(from.size(), 1);
    shape[i] = size.bound;
    Expr outside =
        apply<graph::LogicalOrOp>(apply<graph::LessOp>(at, number(b, 0)),
                                  apply<graph::GreaterEqualOp>(at, n));
    result.value =
        select(reshape(outside, shape), value, Expr(b, result.value)).value;
  }
  if (low != none || high != none)
    result.value =
        make<graph::PadOp>(b, result.value, value.value, low, high, none);
  return node.tracedResults({withSizes(result.value, *sizes)});
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
