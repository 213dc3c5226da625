// Ops that combine elements along dimensions.

#include "compiler/export/onnx/Ops.h"

#include "dialects/graph/Reduce.h"

using namespace mlir;
using namespace weir::graph;

namespace weir::to_onnx {
namespace {

/// The view of a result without some dimensions of the operand, which the file
/// has with the others in their order.
View without(const View &operand, ArrayRef<int64_t> dims, Tensor tensor) {
  Sizes removed, order;
  for (int64_t dim : dims)
    removed.push_back(operand.order[dim]);
  for (auto [dim, inFile] : llvm::enumerate(operand.order)) {
    if (llvm::is_contained(dims, int64_t(dim)))
      continue;
    int64_t before = llvm::count_if(
        removed, [at = inFile](int64_t other) { return other < at; });
    order.push_back(inFile - before);
  }
  Sizes full = tensor.shape;
  return {std::move(tensor), full, order};
}

/// The shape of the file's tensor without these dimensions of the value.
Sizes shapeWithout(const View &operand, ArrayRef<int64_t> dims) {
  Sizes shape;
  for (auto [at, size] : llvm::enumerate(operand.full))
    if (llvm::none_of(dims, [&, at = at](int64_t dim) {
          return operand.order[dim] == int64_t(at);
        }))
      shape.push_back(size);
  return shape;
}

/// ONNX reduces floats and integers of 32 and 64 bits.
Type wideOf(Writer &w, Type element) {
  bool isNarrow =
      isa<IntegerType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isNarrow ? Type(w.builder().getI32Type()) : element;
}

LogicalResult reduce(Writer &w, Operation *op, StringRef name,
                     ArrayRef<int64_t> dims) {
  View view = w.filled(op->getOperand(0));
  if (dims.empty()) {
    w.hold(op->getResult(0), view);
    return success();
  }
  Type element = view.tensor.element, wide = wideOf(w, element);
  Sizes sizes = pick(typeOf(op->getOperand(0)).getShape(), dims);
  if (name != "ReduceSum" && llvm::is_contained(sizes, 0))
    return w.refuse("it reduces no elements");
  Sizes axes;
  for (int64_t dim : dims)
    axes.push_back(view.order[dim]);
  llvm::sort(axes);
  Tensor result =
      w.reduced(name, w.cast(view.tensor, wide), axes, /*keepsDims=*/false);
  w.hold(op->getResult(0), without(view, dims, w.cast(result, element)));
  return success();
}

constexpr char sum[] = "ReduceSum", product[] = "ReduceProd",
               most[] = "ReduceMax", least[] = "ReduceMin";

template <typename Op, const char *name>
LogicalResult writeReduction(Writer &w, Op op) {
  return reduce(w, op, name, op.getDimensions());
}

template <typename Op>
LogicalResult writeArg(Writer &w, Op op) {
  View view = w.filled(op.getX());
  if (view.tensor.element.isInteger(1))
    view.tensor = w.cast(view.tensor, w.builder().getI32Type());
  int64_t axis = op.getAxis();
  Tensor result =
      w.node(isa<ArgMaxOp>(op.getOperation()) ? "ArgMax" : "ArgMin",
             view.tensor)
          .set("axis", view.order[axis])
          .set("keepdims", int64_t(0))
          .result(shapeWithout(view, axis), w.builder().getI64Type());
  w.hold(op, without(view, axis,
                     w.cast(result, typeOf(op.getResult()).getElementType())));
  return success();
}

LogicalResult writeCumulativeSum(Writer &w, CumulativeSumOp op) {
  View view = w.filled(op.getX());
  Type element = view.tensor.element, wide = wideOf(w, element);
  Tensor axis = w.number(view.order[op.getAxis()], w.builder().getI64Type());
  Tensor result = w.node("CumSum", {w.cast(view.tensor, wide), axis})
                      .set("exclusive", int64_t(op.getExclusive()))
                      .set("reverse", int64_t(op.getReverse()))
                      .result(view.full, wide);
  view.tensor = w.cast(result, element);
  w.hold(op, view);
  return success();
}

} // namespace

void addReduce(OpWriters &writers) {
  addWriter<ReduceSumOp, writeReduction<ReduceSumOp, sum>>(writers);
  addWriter<ReduceProdOp, writeReduction<ReduceProdOp, product>>(writers);
  addWriter<ReduceMaxOp, writeReduction<ReduceMaxOp, most>>(writers);
  addWriter<ReduceMinOp, writeReduction<ReduceMinOp, least>>(writers);
  // The greatest of Booleans is whether any is true, and the least whether all
  // are.
  addWriter<ReduceAndOp, writeReduction<ReduceAndOp, least>>(writers);
  addWriter<ReduceOrOp, writeReduction<ReduceOrOp, most>>(writers);
  addWriter<ArgMaxOp, writeArg<ArgMaxOp>>(writers);
  addWriter<ArgMinOp, writeArg<ArgMinOp>>(writers);
  addWriter<CumulativeSumOp, writeCumulativeSum>(writers);
}

} // namespace weir::to_onnx
