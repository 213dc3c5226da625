// Elements, or slices along an axis, told apart: how many differ is known only
// at run time.

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/bounded/Bounded.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// Most columns by which slices are put in order, one after the other.
constexpr int64_t columnLimit = 256;

SmallVector<Expr> sortBy(ArrayRef<Expr> operands) {
  SmallVector<Value> values;
  for (Expr x : operands)
    values.push_back(x.value);
  ImplicitLocOpBuilder &b = *operands.front().b;
  auto sorted = b.create<graph::SortOp>(values, /*descending=*/false);
  SmallVector<Expr> results;
  for (Value value : sorted.getOutputs())
    results.emplace_back(b, value);
  return results;
}

/// The places of rows in ascending order, of which those that are not `real`
/// come last.
Expr sortedPositions(Expr rows, Expr real) {
  ImplicitLocOpBuilder &b = *rows.b;
  int64_t size = rows.size(0);
  Expr positions = iota(b, size);
  // The last column first: a stable sort by the first then leaves its order.
  for (int64_t c = rows.size(1) - 1; c >= 0; --c) {
    Expr key = reshape(slice(rows, 1, c, 1), {size});
    positions = sortBy({gather(key, positions, 0), positions})[1];
  }
  Expr last = cast(isFalse(real), b.getI32Type());
  return sortBy({gather(last, positions, 0), positions})[1];
}

/// Of sorted rows, whether each is the first of those that equal it.
Expr firstOfEqual(Expr sorted) {
  ImplicitLocOpBuilder &b = *sorted.b;
  int64_t size = sorted.size(0);
  Expr first(b, splat(b, RankedTensorType::get({1}, b.getI1Type()), 1));
  if (size == 1)
    return first;
  Expr same =
      equal(slice(sorted, 0, 1, size - 1), slice(sorted, 0, 0, size - 1));
  Value all = make<graph::ReduceAndOp>(b, same.value, ArrayRef<int64_t>{1});
  return concat({first, isFalse(Expr(b, all))}, 0);
}

/// Operand 0 and the axis along which its slices are told apart: of one
/// dimension where the node names none.
FailureOr<std::pair<Traced, int64_t>> slicesOf(Node &node) {
  Traced x = node.traced(0);
  if (node.hasAttr("axis")) {
    FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), node.rank(0));
    if (failed(axis))
      return failure();
    return std::pair(x, *axis);
  }
  Sizes from = sizesOf(x);
  auto size = sizesFrom(node, {product(node.b, from, 0, from.size()).value},
                        {node.type(0).getNumElements()});
  if (failed(size))
    return failure();
  return std::pair(reshapeBounded(node.b, x, *size), int64_t(0));
}

LogicalResult importUnique(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto slices = slicesOf(node);
  if (failed(slices))
    return failure();
  auto [traced, axis] = *slices;
  Sizes sizes = sizesOf(traced);
  const Size whole = sizes[axis];
  // What lies beyond the sizes of a slice is no difference.
  Integers inner;
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    if (d != axis)
      inner.push_back(d);
  Expr x(b, traced.value);
  x = masked(b, traced, x.like(0), inner);
  int64_t size = whole.bound;
  if (x.type().getNumElements() == 0)
    return node.unsupported("slices without elements");
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  std::swap(order[0], order[axis]);
  int64_t columns = x.type().getNumElements() / size;
  if (columns > columnLimit)
    return node.unsupported("slices of more than " + Twine(columnLimit) +
                            " elements");
  Type i64 = b.getI64Type();
  Expr rows = reshape(transpose(x, order), {size, columns});
  Expr real = inside(b, {whole}, 1), nowhere = number(b, size);
  Expr from = sortedPositions(rows, real);
  Expr exists = gather(real, from, 0);
  Expr starts = cast(both(firstOfEqual(gather(rows, from, 0)), exists), i64);
  Size count{size, sum(starts, {0}).value};
  Expr group =
      select(exists, runningSum(starts, /*exclusive=*/false) - 1, nowhere);
  auto all = [&](Expr value) { return broadcast(value, {size}); };
  Expr first = scatterRows(all(nowhere), group, from, graph::Combiner::min);
  Expr counts = scatterRows(all(number(b, 0)), group, all(number(b, 1)),
                            graph::Combiner::add);
  if (!node.intAttr("sorted", 1)) {
    // In the order in which they first stand.
    auto by = sortBy({first, iota(b, size), counts});
    Expr renamed = scatterRows(all(number(b, 0)), by[1], iota(b, size));
    group = gather(renamed, group, 0);
    first = by[0];
    counts = by[2];
  }
  Expr inverse = scatterRows(all(number(b, 0)), from, group);
  return node.tracedResults({takeAlong(b, traced, axis, first, count),
                             withSizes(first.value, {count}),
                             withSizes(inverse.value, {whole}),
                             withSizes(counts.value, {count})});
}

} // namespace

void addBoundedUniqueHandlers(BoundedHandlers &handlers) {
  handlers["Unique"] = {importUnique, {0}, true};
}

} // namespace weir::onnx
