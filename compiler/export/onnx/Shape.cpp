// Ops that move elements to positions known at compile time.

#include "compiler/export/onnx/Ops.h"

#include "dialects/graph/Shape.h"

#include <limits>

using namespace mlir;
using namespace weir::graph;

namespace weir::to_onnx {
namespace {

/// `list`, by dimensions of a value, by those of the file.
Sizes inFile(ArrayRef<int64_t> list, const View &view) {
  return pick(list, inverseOf(view.order));
}

LogicalResult writeReshape(Writer &w, ReshapeOp op) {
  Sizes shape(op.getType().getShape());
  View view = w.viewOf(op.getX());
  if (view.tensor.rank() == 0) {
    w.hold(op, view.tensor);
    return success();
  }
  w.hold(op, w.reshaped(w.whole(op.getX()), shape, /*isOwn=*/true));
  return success();
}

/// Only the view changes.
LogicalResult writeTranspose(Writer &w, TransposeOp op) {
  View view = w.viewOf(op.getX());
  view.order = pick(view.order, op.getPermutation());
  w.hold(op, view);
  return success();
}

/// A reshape, if any: nodes that use the result broadcast it.
LogicalResult writeBroadcast(Writer &w, BroadcastOp op) {
  Tensor x = w.aligned(op.getX(), countUp(typeOf(op.getX()).getRank()));
  int64_t rank = op.getType().getRank();
  int64_t outside = op.getDims().size() - x.rank();
  int64_t first = x.rank() == 0 ? rank : op.getDims()[outside];
  Sizes shape(rank - first, 1);
  for (auto [i, size] : llvm::enumerate(x.shape))
    shape[op.getDims()[outside + i] - first] = size;
  w.hold(op, w.reshaped(x, shape));
  return success();
}

LogicalResult writeSlice(Writer &w, SliceOp op) {
  View view = w.filled(op.getX());
  view.full = inFile(op.getType().getShape(), view);
  view.tensor = w.sliced(view.tensor, inFile(op.getStarts(), view),
                         inFile(op.getLimits(), view),
                         inFile(op.getStrides(), view), view.full);
  w.hold(op, view);
  return success();
}

LogicalResult writeReverse(Writer &w, ReverseOp op) {
  View view = w.filled(op.getX());
  int64_t rank = view.full.size();
  Sizes starts(rank, 0), ends = view.full, steps(rank, 1);
  for (int64_t dim : op.getDims()) {
    int64_t d = view.order[dim];
    starts[d] = -1;
    ends[d] = std::numeric_limits<int64_t>::min();
    steps[d] = -1;
  }
  view.tensor = w.sliced(view.tensor, starts, ends, steps, view.full);
  w.hold(op, view);
  return success();
}

/// Adds `count` times the value after each element along a dimension, but the
/// last: a dimension of one is padded and joined with it.
Tensor spread(Writer &w, Tensor x, Tensor value, int64_t dim, int64_t count) {
  int64_t size = x.shape[dim];
  if (count == 0 || size == 0)
    return x;
  Sizes apart = x.shape;
  apart.insert(apart.begin() + dim + 1, 1);
  Sizes low(apart.size(), 0), high(apart.size(), 0);
  high[dim + 1] = count;
  Sizes joined = x.shape, ends;
  joined[dim] = size * (count + 1);
  Tensor longer =
      w.reshaped(w.padded(w.reshaped(x, apart), value, low, high), joined);
  ends = joined;
  ends[dim] -= count;
  return w.sliced(longer, Sizes(joined.size(), 0), ends,
                  Sizes(joined.size(), 1), ends);
}

LogicalResult writePad(Writer &w, PadOp op) {
  View view = w.filled(op.getX());
  Tensor value = w.whole(op.getValue());
  Sizes interior = inFile(op.getInterior(), view);
  for (auto [d, count] : llvm::enumerate(interior))
    view.tensor = spread(w, view.tensor, value, d, count);
  view.tensor = w.padded(view.tensor, value, inFile(op.getLow(), view),
                         inFile(op.getHigh(), view));
  view.full = view.tensor.shape;
  w.hold(op, view);
  return success();
}

LogicalResult writeConcat(Writer &w, ConcatOp op) {
  Sizes order = countUp(op.getType().getRank());
  for (Value input : llvm::reverse(op.getInputs()))
    if (!constantOf(input))
      order = w.viewOf(input).order;
  SmallVector<Tensor> operands;
  for (Value input : op.getInputs())
    operands.push_back(w.ordered(input, inverseOf(order)));
  Sizes shape = pick(op.getType().getShape(), inverseOf(order));
  Tensor result = w.node("Concat", operands)
                      .set("axis", order[op.getAxis()])
                      .result(shape, op.getType().getElementType());
  w.hold(op, {result, shape, order});
  return success();
}

/// The indices are along one dimension only; nodes that use them broadcast.
LogicalResult writeIota(Writer &w, IotaOp op) {
  Sizes shape(op.getType().getShape().drop_front(op.getAxis()));
  int64_t count = shape.front();
  std::fill(shape.begin() + 1, shape.end(), 1);
  Tensor indices = w.numbers(countUp(count));
  w.hold(op, w.cast(w.reshaped(indices, shape), op.getType().getElementType()));
  return success();
}

LogicalResult writeEmpty(Writer &w, EmptyOp op) {
  w.hold(op, w.number(0, op.getType().getElementType()));
  return success();
}

} // namespace

void addShape(OpWriters &writers) {
  addWriter<ReshapeOp, writeReshape>(writers);
  addWriter<TransposeOp, writeTranspose>(writers);
  addWriter<BroadcastOp, writeBroadcast>(writers);
  addWriter<SliceOp, writeSlice>(writers);
  addWriter<ReverseOp, writeReverse>(writers);
  addWriter<PadOp, writePad>(writers);
  addWriter<ConcatOp, writeConcat>(writers);
  addWriter<IotaOp, writeIota>(writers);
  addWriter<EmptyOp, writeEmpty>(writers);
}

} // namespace weir::to_onnx
