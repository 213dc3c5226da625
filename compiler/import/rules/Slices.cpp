// Parts of a tensor: of known ranges, and of those known only at run time.

#include "compiler/import/rules/Slices.h"

#include "compiler/import/bounded/Polynomial.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/bounded/ranges/Intervals.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir {

StaticRange StaticRange::ascending() const {
  StaticRange up = *this;
  if (stride < 0 && size > 1)
    up.start += (size - 1) * stride;
  up.stride = size > 1 ? std::abs(stride) : 1;
  if (size == 0)
    up.start = 0;
  return up;
}

StaticRange rangeIn(int64_t size, std::optional<int64_t> begin,
                    std::optional<int64_t> end, int64_t stride) {
  // Valid positions: 0 .. size going up, -1 .. size-1 going down.
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  auto position = [&](int64_t at) {
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  StaticRange range;
  range.stride = stride;
  range.start = begin ? position(*begin) : (stride > 0 ? low : high);
  int64_t limit = end ? position(*end) : (stride > 0 ? high : low);
  int64_t span = stride > 0 ? limit - range.start : range.start - limit;
  uint64_t step = stride > 0 ? stride : 0 - static_cast<uint64_t>(stride);
  if (span > 0)
    range.size =
        static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / step + 1);
  return range;
}

void Ranges::whole(size_t dims) {
  for (; dims > 0; --dims) {
    Range range;
    range.size = from[ranges.size()];
    range.isWhole = true;
    ranges.push_back(range);
    shape.push_back(range.size);
  }
}

static Expr isNegative(Expr x) { return apply<graph::LessOp>(x, x.like(0)); }

void Ranges::one(Expr index) {
  Expr size = exactly(b, from[ranges.size()]);
  index = select(isNegative(index), index + size, index);
  require(node,
          apply<graph::LogicalAndOp>(
              apply<graph::GreaterEqualOp>(index, number(b, 0)),
              apply<graph::LessOp>(index, size)),
          "an index is outside of dimension " + Twine(ranges.size()));
  Range range;
  range.start = index;
  range.size = {1, {}};
  ranges.push_back(range);
}

LogicalResult Ranges::range(Expr begin, Expr end, int64_t stride) {
  const Size &size = from[ranges.size()];
  bool up = stride > 0;
  bool fromFirst = !begin || knownNumber(begin.value) == 0;
  bool toLast = !end || (size.exact && isSame(end.value, size.exact));
  if (up && stride == 1 && fromFirst && toLast) {
    whole(1);
    return success();
  }
  Expr n = exactly(b, size), zero = number(b, 0);
  Expr low = up ? zero : number(b, -1), high = up ? n : n - 1.0;
  auto position = [&](Expr at) {
    // A size of another tensor stays the value that others know it by.
    Interval values = intervalOf(at.value), most = intervalOf(n.value);
    if (up && values.low >= 0 && values.high <= most.low)
      return at;
    return minimum(maximum(select(isNegative(at), at + n, at), low), high);
  };
  Range range;
  range.stride = stride;
  range.start = begin ? position(begin) : (up ? low : high);
  Expr limit = end ? position(end) : (up ? high : low);
  Expr span = limit;
  // The last n of m elements are n: no clamp must hide that.
  if (!up || !fromFirst)
    span.value = Polynomials().simplified(
        b, (up ? limit - range.start : range.start - limit).value);
  if (!(intervalOf(span.value).low >= 0))
    span = maximum(span, zero);
  int64_t step = up ? stride : -stride;
  if (step != 1)
    span =
        apply<graph::FloorDivOp>(span + number(b, step - 1), number(b, step));
  int64_t cap = size.bound / step + (size.bound % step != 0);
  auto sizes = sizesFrom(node, {span.value}, {cap});
  if (failed(sizes))
    return failure();
  range.size = sizes->front();
  ranges.push_back(range);
  shape.push_back(range.size);
  return success();
}

LogicalResult Ranges::give() {
  whole(from.size() - ranges.size());
  Traced result = node.traced(0);
  for (auto [i, range] : llvm::enumerate(ranges)) {
    if (range.isWhole)
      continue;
    int64_t dim = static_cast<int64_t>(i);
    result =
        range.stride == 1
            ? windowOf(b, result, dim, range.start, range.size)
            : takeAlong(b, result, dim,
                        iota(b, range.size.bound) * number(b, range.stride) +
                            range.start,
                        range.size);
  }
  return node.tracedResults({reshapeBounded(b, result, shape)});
}

} // namespace weir
