// Margins, each dimension by the index that an element comes from.

#include "compiler/import/rules/Pads.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir {

Expr positionWithin(Expr at, Expr size, Edges edges) {
  switch (edges) {
  case Edges::value:
    break;
  case Edges::reflect:
  case Edges::symmetric: {
    Expr before = apply<graph::LessOp>(at, at.like(0));
    Expr after = apply<graph::GreaterEqualOp>(at, size);
    double edge = edges == Edges::symmetric ? 1 : 0;
    return select(before, -at - edge,
                  select(after, size * 2.0 - (2.0 - edge) - at, at));
  }
  case Edges::zigzag: {
    // A dimension of size 1 repeats its only element.
    Expr period = maximum((size - 1.0) * 2.0, size.like(1));
    at = apply<graph::FloorModOp>(at, period);
    return minimum(at, period - at);
  }
  case Edges::nearest:
    return minimum(maximum(at, at.like(0)), size - 1.0);
  case Edges::wrap:
    return apply<graph::FloorModOp>(at, maximum(size, size.like(1)));
  }
  return at;
}

/// Of known sizes, dimension by dimension: what a margin mirrors, in reverse.
static LogicalResult giveMirrored(TracedNode &node, ArrayRef<int64_t> low,
                                  ArrayRef<int64_t> high, int64_t skip) {
  Expr x = operand(node, 0);
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    int64_t size = x.size(dim), most = std::max<int64_t>(size - skip, 0);
    int64_t before = low[dim], after = high[dim];
    if (std::min(before, after) < 0 || std::max(before, after) > most)
      return node.error() << "cannot mirror " << before << " and " << after
                          << " elements of dimension " << dim << " of size "
                          << size;
    SmallVector<Expr> parts;
    if (before)
      parts.push_back(reverse(slice(x, dim, skip, before), {dim}));
    parts.push_back(x);
    if (after)
      parts.push_back(
          reverse(slice(x, dim, size - skip - after, after), {dim}));
    x = concat(parts, dim);
  }
  return give(node, x);
}

/// The margins, where the import knows all.
static std::optional<SmallVector<int64_t>> known(ArrayRef<Expr> margins) {
  SmallVector<Value> scalars;
  for (Expr margin : margins)
    scalars.push_back(margin.value);
  return knownNumbers(scalars);
}

static bool mirrors(Edges edges) {
  return edges == Edges::reflect || edges == Edges::symmetric;
}

/// Whether the import knows that both margins have no element.
static bool isWithout(Expr low, Expr high) {
  return knownNumber(low.value) == 0 && knownNumber(high.value) == 0;
}

/// Checks the margins of a dimension of `n` elements.
static void requireMargins(TracedNode &node, const Margins &margins, Expr n,
                           Expr low, Expr high) {
  ImplicitLocOpBuilder &b = node.b;
  Expr zero = number(b, 0);
  double edge = margins.edges == Edges::symmetric ? 1 : 0;
  for (Expr margin : {low, high}) {
    require(
        node, apply<graph::GreaterEqualOp>(margin, margins.mayCut ? -n : zero),
        margins.mayCut ? "cuts more than there is" : "a margin is negative");
    // So that sums of margins stay what they are.
    require(node,
            apply<graph::LessEqualOp>(margin, number(b, int64_t(1) << 40)),
            "a margin is too wide");
    if (mirrors(margins.edges))
      require(node, apply<graph::LessEqualOp>(margin, n - 1.0 + edge),
              "a margin is wider than what it mirrors");
  }
  if (margins.mayCut)
    require(node,
            apply<graph::GreaterEqualOp>(
                n + minimum(low, zero) + minimum(high, zero), zero),
            "cuts more than there is");
  bool repeats = margins.edges != Edges::value && !mirrors(margins.edges);
  if (!repeats || isWithout(low, high) || intervalOf(n.value).low >= 1)
    return;
  Expr hasElements = apply<graph::GreaterEqualOp>(n, number(b, 1));
  Expr isUnpadded = apply<graph::LessEqualOp>(low + high, zero);
  require(node, apply<graph::LogicalOrOp>(hasElements, isUnpadded),
          "repeats elements of a dimension that has none");
}

LogicalResult givePadded(TracedNode &node, const Margins &margins, Expr value) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  auto before = known(margins.low), after = known(margins.high);
  if (mirrors(margins.edges) && areKnown(from) && before && after)
    return giveMirrored(node, *before, *after,
                        margins.edges == Edges::symmetric ? 0 : 1);
  SmallVector<Value> wanted;
  SmallVector<bool> isWhole;
  for (auto [size, low, high] :
       llvm::zip_equal(from, margins.low, margins.high)) {
    Expr n = exactly(b, size);
    requireMargins(node, margins, n, low, high);
    isWhole.push_back(isWithout(low, high));
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
    auto first = knownNumber(margins.low[i].value);
    if (margins.edges == Edges::value && first && *first >= 0 &&
        *first <= size.bound) {
      // The place keeps its order: what does not count is the value.
      int64_t kept = std::min(from[i].bound, size.bound - *first);
      result.value = masked(b, result, value, static_cast<int64_t>(i)).value;
      SmallVector<int64_t> bounds(typeOf(result.value).getShape());
      bounds[i] = kept;
      result.value = paddedTo(b, result.value, bounds);
      low[i] = *first;
      high[i] = size.bound - kept - *first;
      continue;
    }
    Expr n = exactly(b, from[i]), at = iota(b, size.bound) - margins.low[i];
    result =
        takeAlong(b, result, i, positionWithin(at, n, margins.edges), size);
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

} // namespace weir
