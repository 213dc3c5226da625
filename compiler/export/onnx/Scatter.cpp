// Ops that write to elements by index.

#include "compiler/export/onnx/Ops.h"

#include "dialects/graph/Index.h"

using namespace mlir;
using namespace weir::graph;

namespace weir::to_onnx {
namespace {

StringRef reductionOf(Combiner combiner) {
  switch (combiner) {
  case Combiner::update:
    return "none";
  case Combiner::add:
  case Combiner::sub:
    return "add";
  case Combiner::mul:
    return "mul";
  case Combiner::min:
    return "min";
  case Combiner::max:
    return "max";
  }
  return "none";
}

/// Whether each index vector is in range, with a last dimension of one.
Tensor areValid(Writer &w, Tensor indices, ArrayRef<int64_t> limits) {
  Type i1 = w.builder().getI1Type(), i32 = w.builder().getI32Type();
  Tensor isHigh = w.map("Less", {indices, w.numbers(limits)}, i1);
  Tensor isNegative =
      w.map("Less", {indices, w.number(0, indices.element)}, i1);
  Tensor isValid = w.map("And", {isHigh, w.map("Not", isNegative)}, i1);
  return w.cast(w.reduced("ReduceMin", w.cast(isValid, i32), indices.rank() - 1,
                          /*keepsDims=*/true),
                i1);
}

/// Updates with an index out of range go to a row after the last one, which is
/// then cut off.
LogicalResult writeScatter(Writer &w, ScatterOp op) {
  RankedTensorType type = typeOf(op.getResult());
  int64_t depth = typeOf(op.getIndices()).getShape().back();
  ArrayRef<int64_t> limits = type.getShape().take_front(depth);
  if (depth == 0)
    return w.refuse("its indices have no dimension");
  Tensor x = w.whole(op.getX()), updates = w.whole(op.getUpdates());
  Tensor indices = w.cast(w.whole(op.getIndices()), w.builder().getI64Type());
  bool isSafe = areInRange(op.getIndices(), limits);
  if (!isSafe) {
    Sizes none(type.getRank(), 0), row = none, outside(depth, 0);
    row[0] = 1;
    outside[0] = limits[0];
    indices = w.map(
        "Where", {areValid(w, indices, limits), indices, w.numbers(outside)});
    x = w.padded(x, w.number(0, x.element), none, row);
  }
  if (op.getCombiner() == Combiner::sub)
    updates = negated(w, updates);
  Node node = w.node("ScatterND", {x, indices, updates});
  if (op.getCombiner() != Combiner::update)
    node.setText("reduction", reductionOf(op.getCombiner()));
  Tensor result = node.result(x.shape, x.element);
  if (!isSafe)
    result = w.sliced(result, Sizes(type.getRank(), 0), type.getShape(),
                      Sizes(type.getRank(), 1), type.getShape());
  w.hold(op, result);
  return success();
}

/// The number of leading dimensions up to the last one that the update does not
/// fill.
int64_t partialDims(RankedTensorType x, RankedTensorType update) {
  int64_t count = x.getRank();
  while (count > 0 && x.getDimSize(count - 1) == update.getDimSize(count - 1))
    --count;
  return count;
}

/// Index vectors of the box are its starts plus a position along each
/// dimension.
LogicalResult writeUpdate(Writer &w, DynamicUpdateSliceOp op) {
  RankedTensorType type = typeOf(op.getX()), box = typeOf(op.getUpdate());
  int64_t depth = partialDims(type, box);
  Tensor update = w.whole(op.getUpdate());
  if (depth == 0) {
    w.hold(op, update);
    return success();
  }
  Type i64 = w.builder().getI64Type();
  Sizes grid(box.getShape().take_front(depth));
  grid.push_back(1);
  SmallVector<Tensor> parts;
  for (int64_t d = 0; d < depth; ++d) {
    int64_t size = box.getDimSize(d);
    Sizes shape(grid.size(), 1);
    shape[d] = size;
    Tensor start = w.cast(
        indicesOf(w, op.getStarts()[d], type.getDimSize(d) - size + 1), i64);
    Tensor positions = w.reshaped(w.numbers(countUp(size)), shape);
    parts.push_back(w.expanded(w.map("Add", {positions, start}), grid));
  }
  Sizes vectors = grid;
  vectors.back() = depth;
  Tensor indices =
      w.node("Concat", parts).set("axis", depth).result(vectors, i64);
  w.hold(op, w.node("ScatterND", {w.whole(op.getX()), indices, update})
                 .result(type.getShape(), type.getElementType()));
  return success();
}

} // namespace

void addScatter(OpWriters &writers) {
  addWriter<ScatterOp, writeScatter>(writers);
  addWriter<DynamicUpdateSliceOp, writeUpdate>(writers);
}

} // namespace weir::to_onnx
