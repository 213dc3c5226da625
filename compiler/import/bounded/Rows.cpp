// Which elements or rows of a tensor count, where only the run knows.

#include "compiler/import/bounded/Rows.h"

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir {

Expr scatter(Expr x, Expr indices, Expr updates, graph::Combiner combiner) {
  if (!x || !indices || !updates)
    return {};
  return Expr(*x.b, make<graph::ScatterOp>(*x.b, x.value, indices.value,
                                           updates.value, combiner));
}

Expr scatterRows(Expr x, Expr indices, Expr updates, graph::Combiner combiner) {
  return scatter(x, reshape(indices, {indices.size(0), 1}), updates, combiner);
}

Expr runningSum(Expr x, bool exclusive) {
  return Expr(*x.b, make<graph::CumulativeSumOp>(*x.b, x.type(), x.value,
                                                 uint64_t(0), exclusive,
                                                 /*reverse=*/false));
}

Choice choose(ImplicitLocOpBuilder &b, Expr mask) {
  int64_t size = mask.size(0);
  Expr ones = cast(mask, b.getI64Type());
  Expr positions = iota(b, size), nowhere = number(b, size);
  Expr targets = select(mask, runningSum(ones, /*exclusive=*/true), nowhere);
  positions = scatterRows(broadcast(number(b, 0), {size}), targets, positions);
  Expr count = sum(ones, {0});
  if (std::optional<int64_t> known = knownNumber(count.value))
    return {slice(positions, 0, 0, *known), Size{*known, {}}};
  return {positions, Size{size, count.value}};
}

Expr inside(ImplicitLocOpBuilder &b, ArrayRef<Size> sizes, size_t count) {
  sizes = sizes.take_front(count);
  Expr result(b, splat(b, RankedTensorType::get({}, b.getI1Type()), 1));
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size.isKnown())
      continue;
    SmallVector<int64_t> shape(count, 1);
    shape[dim] = size.bound;
    result =
        apply<graph::LogicalAndOp>(result, reshape(within(b, size), shape));
  }
  return broadcast(result, boundsOf(sizes));
}

LogicalResult shareSizes(TracedNode &node, Traced &x, Traced &y, size_t count) {
  Sizes first = sizesOf(x), second = sizesOf(y);
  for (size_t i = 0; i < count; ++i) {
    auto size = agreedSize(node, first[i], second[i],
                           "operands along dimension " + Twine(i));
    if (failed(size))
      return failure();
    first[i] = second[i] = *size;
  }
  x = withSizes(paddedTo(node.b, x.value, boundsOf(first)), first);
  y = withSizes(paddedTo(node.b, y.value, boundsOf(second)), second);
  return success();
}

Expr joinRows(ImplicitLocOpBuilder &b, const Traced &traced, size_t count) {
  Expr x(b, traced.value);
  SmallVector<int64_t> shape{1};
  for (int64_t size : x.shape().take_front(count))
    shape[0] *= size;
  llvm::append_range(shape, x.shape().drop_front(count));
  return reshape(x, shape);
}

Expr firstEquals(ImplicitLocOpBuilder &b, Expr x, Expr real) {
  int64_t size = x.size(0);
  Expr nowhere = number(b, size);
  if (size == 0)
    return iota(b, 0);
  // Equal elements are neighbours once sorted, and share a number.
  auto sort = b.create<graph::SortOp>(ValueRange{x.value, iota(b, size).value},
                                      /*descending=*/false);
  Expr sorted(b, sort.getOutputs()[0]), from(b, sort.getOutputs()[1]);
  Expr differs = apply<graph::NotEqualOp>(slice(sorted, 0, 1, size - 1),
                                          slice(sorted, 0, 0, size - 1));
  Expr numbers = runningSum(pad(cast(differs, b.getI64Type()), {1}, {0}),
                            /*exclusive=*/false);
  Expr valid = select(gather(real, from, 0), from, nowhere);
  Expr firsts = scatterRows(broadcast(nowhere, {size}), numbers, valid,
                            graph::Combiner::min);
  return scatterRows(iota(b, size), from, gather(firsts, numbers, 0));
}

} // namespace weir
