// Ops between padded buffers and contiguous elements. Nodes compute the index
// of each element, so that all tensors have sizes that are known.

#include "compiler/export/onnx/Ops.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Index.h"

using namespace mlir;
using namespace weir::graph;

namespace weir::to_onnx {
namespace {

/// The actual sizes of a tensor in a padded buffer of this shape.
SmallVector<Tensor> actualSizes(Writer &w, ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> dims, ValueRange sizes) {
  Type i64 = w.builder().getI64Type();
  auto number = [&](int64_t value) {
    return w.number(static_cast<double>(value), i64);
  };
  SmallVector<Tensor> all;
  for (int64_t size : shape)
    all.push_back(number(size));
  for (auto [d, size] : llvm::zip_equal(dims, sizes)) {
    Tensor low = w.map("Max", {w.whole(size), number(0)});
    all[d] = w.map("Min", {low, number(shape[d])});
  }
  return all;
}

/// The elements of the one-dimensional `x` at these indices, which are in range
/// as no actual size is above that of the buffer.
Tensor elementsAt(Writer &w, Tensor x, Tensor index) {
  return w.node("Gather", {x, index})
      .set("axis", int64_t(0))
      .result(index.shape, x.element);
}

/// Zero where `isInside` is false.
Tensor orZero(Writer &w, Tensor isInside, Tensor x) {
  return w.map("Where", {isInside, x, w.number(0, x.element)});
}

LogicalResult writeCompact(Writer &w, CompactOp op) {
  int64_t rank = typeOf(op.getX()).getRank();
  ArrayRef<int64_t> permutation = op.getPermutation();
  Tensor x = w.ordered(op.getX(), permutation.empty() ? countUp(rank)
                                                      : Sizes(permutation));
  Sizes shape = x.shape, strides = stridesOf(shape);
  int64_t total = ShapedType::getNumElements(shape);
  Tensor flat = w.reshaped(x, total);
  if (op.getDims().empty() || total == 0) {
    w.hold(op, flat);
    return success();
  }
  Type i1 = w.builder().getI1Type(), i64 = w.builder().getI64Type();
  SmallVector<Tensor> sizes =
      actualSizes(w, shape, op.getDims(), op.getSizes());
  Tensor position = w.numbers(countUp(total));
  Tensor rest = position, count = sizes[0];
  std::optional<Tensor> index;
  for (int64_t d = rank - 1; d >= 0; --d) {
    Tensor along = rest;
    if (d == 0) {
      // Positions after the last element have any index.
      along = w.map("Min",
                    {rest, w.number(static_cast<double>(shape[0] - 1), i64)});
    } else {
      // Without any elements the index has no meaning.
      Tensor size = w.map("Max", {sizes[d], w.number(1, i64)});
      along = w.map("Mod", {rest, size});
      rest = w.map("Div", {rest, size});
      count = w.map("Mul", {count, sizes[d]});
    }
    Tensor term =
        w.map("Mul", {along, w.number(static_cast<double>(strides[d]), i64)});
    index = index ? w.map("Add", {*index, term}) : term;
  }
  Tensor result = elementsAt(w, flat, *index);
  if (op.getZeros())
    result = orZero(w, w.map("Less", {position, count}, i1), result);
  w.hold(op, result);
  return success();
}

LogicalResult writeSpread(Writer &w, SpreadOp op) {
  Sizes shape(op.getShape());
  int64_t rank = shape.size();
  Sizes order =
      op.getPermutation().empty() ? countUp(rank) : Sizes(op.getPermutation());
  Tensor x = w.whole(op.getX());
  if (op.getDims().empty() || x.shape[0] == 0) {
    w.hold(op, {w.reshaped(x, shape), shape, order});
    return success();
  }
  Type i1 = w.builder().getI1Type(), i64 = w.builder().getI64Type();
  SmallVector<Tensor> sizes =
      actualSizes(w, shape, op.getDims(), op.getSizes());
  Tensor stride = w.number(1, i64);
  std::optional<Tensor> index, isInside;
  for (int64_t d = rank - 1; d >= 0; --d) {
    Sizes alone(rank - d, 1);
    alone[0] = shape[d];
    Tensor along = w.reshaped(w.numbers(countUp(shape[d])), alone);
    Tensor term = w.map("Mul", {along, stride});
    index = index ? w.map("Add", {term, *index}) : term;
    stride = w.map("Mul", {stride, sizes[d]});
    if (!llvm::is_contained(op.getDims(), d))
      continue;
    Tensor isBelow = w.map("Less", {along, sizes[d]}, i1);
    isInside = isInside ? w.map("And", {isBelow, *isInside}) : isBelow;
  }
  Tensor result = elementsAt(w, x, *index);
  if (op.getZeros())
    result = orZero(w, *isInside, result);
  w.hold(op, {result, shape, order});
  return success();
}

} // namespace

void addPadded(OpWriters &writers) {
  addWriter<CompactOp, writeCompact>(writers);
  addWriter<SpreadOp, writeSpread>(writers);
}

} // namespace weir::to_onnx
