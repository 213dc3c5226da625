// Imports slices.

#include "compiler/import/tensorflow/bounded/Slices.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/rules/Gathers.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/StridedBox.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The box of `sizes` at `starts`, scalars that may be unknown; those that are
/// known have been checked.
Expr boxAt(Node &node, Expr x, ArrayRef<Expr> starts, ArrayRef<int64_t> sizes) {
  ImplicitLocOpBuilder &b = node.b;
  Integers known, limits;
  SmallVector<Value> values;
  for (auto [start, size] : llvm::zip_equal(starts, sizes)) {
    if (auto number = knownElement(start.value, 0)) {
      known.push_back(*number);
      limits.push_back(*number + size);
    }
    values.push_back(start.value);
  }
  if (known.size() == sizes.size())
    return box(x, known, limits);
  return Expr(b, make<graph::DynamicSliceOp>(b, x.value, values, sizes));
}

LogicalResult importSlice(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto sizes = node.integers(2);
  if (failed(sizes))
    return failure();
  Expr x = operand(node, 0), begins = operand(node, 1);
  int64_t rank = x.rank();
  if (static_cast<int64_t>(sizes->size()) != rank || begins.rank() != 1 ||
      begins.size(0) != rank)
    return node.error() << "cannot slice " << x.type() << " from "
                        << begins.type() << " by " << sizes->size() << " sizes";
  SmallVector<Expr> starts;
  for (int64_t i = 0; i < rank; ++i) {
    starts.push_back(elementOf(begins, i));
    auto begin = knownElement(begins.value, i);
    int64_t &size = (*sizes)[i];
    if (!begin && (size < 0 || size > x.size(i))) {
      if (size == -1)
        return importBoundedSlice(node);
      return node.error() << "size " << size << " of dimension " << i
                          << " does not fit in " << x.type();
    }
    if (!begin) {
      if (failed(checkIndices(node, 1, starts[i], x.size(i) - size + 1)))
        return failure();
      continue;
    }
    if (*begin < 0 || *begin > x.size(i))
      return node.error() << "cannot begin at " << *begin << " of dimension "
                          << i << " of " << x.type();
    if (size == -1)
      size = x.size(i) - *begin;
    if (size < 0 || size > x.size(i) - *begin)
      return node.error() << "size " << size << " from " << *begin
                          << " of dimension " << i << " does not fit in "
                          << x.type();
  }
  return give(node, boxAt(node, x, starts, *sizes));
}

/// Whether the size of what a StridedSlice takes depends on data.
bool isDynamic(Node &node) {
  auto strides = node.tryConstant(3);
  Expr begins = operand(node, 1), ends = operand(node, 2);
  if (!strides || begins.rank() != 1 || ends.type() != begins.type())
    return false;
  int64_t free = node.intAttr("ellipsis_mask") | node.intAttr("new_axis_mask") |
                 node.intAttr("shrink_axis_mask");
  auto isUnknown = [&](StringRef mask, Expr numbers, int64_t i) {
    return !((free | node.intAttr(mask)) >> i & 1) &&
           !knownElement(numbers.value, i);
  };
  for (int64_t i = 0; i < std::min<int64_t>(begins.size(0), 32); ++i)
    if (isUnknown("begin_mask", begins, i) || isUnknown("end_mask", ends, i))
      return true;
  return false;
}

LogicalResult importStridedSlice(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  if (isDynamic(node))
    return importBoundedStridedSlice(node);
  auto taken = stridedBoxOf(node, node.shape(0), 1);
  if (failed(taken))
    return failure();
  Expr x = operand(node, 0);
  ImplicitLocOpBuilder &b = node.b;
  Integers starts, limits, strides, reversed, sizes;
  SmallVector<Value> computed;
  bool isComputed = false;
  for (auto [dim, range] : llvm::enumerate(taken->ranges)) {
    StaticRange up = range.ascending();
    if (range.stride < 0)
      reversed.push_back(dim);
    isComputed |= bool(range.computed);
    starts.push_back(range.computed ? 0 : up.start);
    limits.push_back(range.computed ? x.size(dim)
                     : up.size      ? up.start + (up.size - 1) * up.stride + 1
                                    : 0);
    strides.push_back(up.stride);
    sizes.push_back(range.size);
    computed.push_back(range.computed ? range.computed.value : Value());
  }
  x.value = make<graph::SliceOp>(b, x.value, starts, limits, strides);
  if (isComputed) {
    Type type = node.type(1).getElementType();
    for (Value &start : computed)
      if (!start)
        start = splat(b, RankedTensorType::get({}, type), 0);
    x.value = make<graph::DynamicSliceOp>(b, x.value, computed, sizes);
  }
  return give(node, reshape(reverse(x, reversed), taken->shape));
}

} // namespace

void addSliceHandlers(Handlers &handlers) {
  handlers["Slice"] = importSlice;
  handlers["StridedSlice"] = importStridedSlice;
}

} // namespace weir::tensorflow
