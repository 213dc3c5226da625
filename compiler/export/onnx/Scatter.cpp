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
    updates = w.map("Neg", updates);
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

} // namespace

void addScatter(OpWriters &writers) {
  addWriter<ScatterOp, writeScatter>(writers);
}

} // namespace weir::to_onnx
