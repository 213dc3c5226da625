// Slices where begins, ends or sizes are known only at run time.

#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {

Traced takeAlong(ImplicitLocOpBuilder &b, const Traced &traced, int64_t dim,
                 Expr indices, Size size) {
  Sizes sizes = sizesOf(traced);
  bool isEmpty = sizes[dim].bound == 0;
  sizes[dim] = size;
  Value place;
  if (isEmpty || size.bound == 0)
    place = splat(b, typeOf(traced.value).clone(boundsOf(sizes)), 0);
  else
    place = gather(Expr(b, traced.value), indices, dim).value;
  return withSizes(place, sizes);
}

Traced windowOf(ImplicitLocOpBuilder &b, const Traced &traced, int64_t dim,
                Expr begin, Size size) {
  std::optional<int64_t> known = knownNumber(begin.value);
  if (!known)
    return takeAlong(b, traced, dim, iota(b, size.bound) + begin, size);
  Expr x(b, traced.value);
  int64_t start = std::clamp<int64_t>(*known, 0, x.size(dim));
  int64_t count = std::min(size.bound, x.size(dim) - start);
  Sizes sizes = sizesOf(traced);
  sizes[dim] = size;
  Value place = slice(x, dim, start, count).value;
  return withSizes(inPlaceOf(b, place, boundsOf(sizes)), sizes);
}

static Expr isNegative(Expr x) { return apply<graph::LessOp>(x, x.like(0)); }

namespace {

/// One dimension of what a StridedSlice takes.
struct Range {
  Expr start;
  int64_t stride = 1;
  Size size;
  /// The dimension stays as it is.
  bool isWhole = false;
};

class StridedSlice {
public:
  explicit StridedSlice(Node &node) : node(node), b(node.b) {}

  LogicalResult run() {
    auto begins = scalarsOf(node, 1), ends = scalarsOf(node, 2);
    auto strides = node.integers(3);
    if (failed(begins) || failed(ends) || failed(strides))
      return failure();
    size_t count = strides->size();
    if (begins->size() != count || ends->size() != count || count > 32)
      return node.error() << "has " << begins->size() << " begins, "
                          << ends->size() << " ends and " << count
                          << " strides";
    from = sizesOf(node.traced(0));
    auto has = [&](StringRef mask, size_t i) {
      return (node.intAttr(mask) >> i & 1) != 0;
    };
    size_t taken = 0, ellipses = 0;
    for (size_t i = 0; i < count; ++i) {
      ellipses += has("ellipsis_mask", i);
      taken += !has("ellipsis_mask", i) && !has("new_axis_mask", i);
    }
    if (ellipses > 1 || taken > from.size())
      return node.error() << "has " << taken << " ranges and " << ellipses
                          << " ellipses for " << from.size() << " dimensions";
    for (size_t i = 0; i < count; ++i) {
      if (has("ellipsis_mask", i)) {
        whole(from.size() - taken);
      } else if (has("new_axis_mask", i)) {
        shape.push_back({1, {}});
      } else if ((*strides)[i] == 0) {
        return node.error()
               << "stride of dimension " << ranges.size() << " is 0";
      } else if (has("shrink_axis_mask", i)) {
        one(Expr(b, (*begins)[i]));
      } else {
        Expr begin = has("begin_mask", i) ? Expr() : Expr(b, (*begins)[i]);
        Expr end = has("end_mask", i) ? Expr() : Expr(b, (*ends)[i]);
        if (failed(range(begin, end, (*strides)[i])))
          return failure();
      }
    }
    whole(from.size() - ranges.size());
    return give();
  }

private:
  void whole(size_t dims) {
    for (; dims > 0; --dims) {
      Range range;
      range.size = from[ranges.size()];
      range.isWhole = true;
      ranges.push_back(range);
      shape.push_back(range.size);
    }
  }

  /// One element, counted from the end where negative; the dimension goes.
  void one(Expr index) {
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

  /// As TensorFlow completes ranges: valid places are 0 .. n going up and
  /// -1 .. n-1 going down.
  LogicalResult range(Expr begin, Expr end, int64_t stride) {
    const Size &size = from[ranges.size()];
    bool up = stride > 0;
    if (up && stride == 1 && !end &&
        (!begin || knownNumber(begin.value) == 0)) {
      whole(1);
      return success();
    }
    Expr n = exactly(b, size), zero = number(b, 0);
    Expr low = up ? zero : number(b, -1), high = up ? n : n - 1.0;
    auto place = [&](Expr at) {
      return minimum(maximum(select(isNegative(at), at + n, at), low), high);
    };
    Range range;
    range.stride = stride;
    range.start = begin ? place(begin) : (up ? low : high);
    Expr limit = end ? place(end) : (up ? high : low);
    Expr span = maximum(up ? limit - range.start : range.start - limit, zero);
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

  LogicalResult give() {
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

  Node &node;
  ImplicitLocOpBuilder &b;
  Sizes from;
  SmallVector<Range> ranges;
  Sizes shape;
};

} // namespace

LogicalResult importBoundedSlice(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto begins = scalarsOf(node, 1), counts = scalarsOf(node, 2);
  if (failed(begins) || failed(counts))
    return failure();
  Sizes from = sizesOf(node.traced(0));
  if (begins->size() != from.size() || counts->size() != from.size())
    return node.error() << "cannot slice " << node.type(0) << " from "
                        << begins->size() << " places by " << counts->size()
                        << " sizes";
  SmallVector<Value> wanted;
  for (auto [begin, count, size] : llvm::zip_equal(*begins, *counts, from)) {
    Expr c(b, count), rest = exactly(b, size) - Expr(b, begin);
    wanted.push_back(knownNumber(begin) == 0 && knownNumber(count) == -1
                         ? exactly(b, size).value
                         : select(isNegative(c), rest, c).value);
  }
  auto sizes = sizesFrom(node, wanted, boundsOf(from));
  if (failed(sizes))
    return failure();
  Traced result = node.traced(0);
  for (auto [i, begin] : llvm::enumerate(*begins)) {
    const Size &size = (*sizes)[i];
    if (knownNumber(begin) == 0 && size == from[i])
      continue;
    Expr start(b, begin), end = start + exactly(b, size);
    require(node,
            apply<graph::LogicalAndOp>(
                apply<graph::GreaterEqualOp>(start, number(b, 0)),
                apply<graph::LessEqualOp>(end, exactly(b, from[i]))),
            "a slice goes beyond dimension " + Twine(i));
    result = windowOf(b, result, i, start, size);
  }
  return node.tracedResults({result});
}

LogicalResult importBoundedStridedSlice(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  return StridedSlice(node).run();
}

void addBoundedSliceHandlers(BoundedHandlers &handlers) {
  handlers["Slice"] = {importBoundedSlice, {2}};
  handlers["StridedSlice"] = importBoundedStridedSlice;
}

} // namespace weir::tensorflow
