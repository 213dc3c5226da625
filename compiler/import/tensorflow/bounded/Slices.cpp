// Slices where begins, ends or sizes are known only at run time.

#include "compiler/import/tensorflow/bounded/Slices.h"

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Slices.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {

static Expr isNegative(Expr x) { return apply<graph::LessOp>(x, x.like(0)); }

LogicalResult importBoundedSlice(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto begins = listedScalars(node, 1), counts = listedScalars(node, 2);
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
  ImplicitLocOpBuilder &b = node.b;
  auto begins = listedScalars(node, 1), ends = listedScalars(node, 2);
  auto strides = node.integers(3);
  if (failed(begins) || failed(ends) || failed(strides))
    return failure();
  size_t count = strides->size();
  if (begins->size() != count || ends->size() != count || count > 32)
    return node.error() << "has " << begins->size() << " begins, "
                        << ends->size() << " ends and " << count << " strides";
  auto rank = static_cast<size_t>(node.rank(0));
  auto has = [&](StringRef mask, size_t i) {
    return (node.intAttr(mask) >> i & 1) != 0;
  };
  size_t taken = 0, ellipses = 0;
  for (size_t i = 0; i < count; ++i) {
    ellipses += has("ellipsis_mask", i);
    taken += !has("ellipsis_mask", i) && !has("new_axis_mask", i);
  }
  if (ellipses > 1 || taken > rank)
    return node.error() << "has " << taken << " ranges and " << ellipses
                        << " ellipses for " << rank << " dimensions";
  Ranges ranges(node);
  for (size_t i = 0; i < count; ++i) {
    if (has("ellipsis_mask", i)) {
      ranges.whole(rank - taken);
    } else if (has("new_axis_mask", i)) {
      ranges.insert();
    } else if ((*strides)[i] == 0) {
      return node.error() << "stride of dimension " << ranges.done() << " is 0";
    } else if (has("shrink_axis_mask", i)) {
      ranges.one(Expr(b, (*begins)[i]));
    } else {
      Expr begin = has("begin_mask", i) ? Expr() : Expr(b, (*begins)[i]);
      Expr end = has("end_mask", i) ? Expr() : Expr(b, (*ends)[i]);
      if (failed(ranges.range(begin, end, (*strides)[i])))
        return failure();
    }
  }
  return ranges.give();
}

void addBoundedSliceHandlers(BoundedHandlers &handlers) {
  handlers["Slice"] = {importBoundedSlice, {2}};
  handlers["StridedSlice"] = importBoundedStridedSlice;
}

} // namespace weir::tensorflow
