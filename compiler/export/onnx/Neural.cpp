// Products, convolutions, pools and softmax. ONNX has channels first.

#include "compiler/export/onnx/Ops.h"

#include "dialects/graph/Neural.h"

#include <limits>

using namespace mlir;
using namespace weir::graph;

namespace weir::to_onnx {
namespace {

/// Holds a result that the file has with channels first.
void holdChannelsFirst(Writer &w, Value value, Tensor tensor) {
  Sizes shape = tensor.shape;
  w.hold(value, {std::move(tensor), shape, channelsLast(shape.size())});
}

Sizes channelsFirstShape(Value value) {
  RankedTensorType type = typeOf(value);
  return pick(type.getShape(), channelsFirst(type.getRank()));
}

/// The order that exchanges the last two dimensions, or keeps them.
Sizes matrixOrder(int64_t rank, bool isTransposed) {
  Sizes order = countUp(rank);
  if (isTransposed)
    std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

LogicalResult writeMatmul(Writer &w, MatmulOp op) {
  if (op.getDepth())
    return w.refuse("its sums end at a size that only a run knows");
  RankedTensorType type = typeOf(op.getResult());
  Type element = type.getElementType();
  Tensor a =
      w.ordered(op.getA(), matrixOrder(type.getRank(), op.getTransposeA()));
  Tensor b =
      w.ordered(op.getB(), matrixOrder(type.getRank(), op.getTransposeB()));
  if (a.element.isUnsignedInteger(8) && b.element.isSignlessInteger(8)) {
    w.hold(op,
           w.node("MatMulInteger", {a, b}).result(type.getShape(), element));
    return success();
  }
  // ONNX multiplies no integers of 8 or 16 bits.
  bool isNarrow =
      isa<IntegerType>(element) && type.getElementTypeBitWidth() < 32;
  Type wide = isNarrow ? w.builder().getI32Type() : element;
  Tensor product = w.node("MatMul", {w.cast(a, wide), w.cast(b, wide)})
                       .result(type.getShape(), wide);
  w.hold(op, w.cast(product, element));
  return success();
}

/// The paddings as ONNX has them, all at the start before all at the end.
template <typename Op>
Sizes paddingsOf(Op op) {
  Sizes pads(op.getPaddingLow());
  llvm::append_range(pads, op.getPaddingHigh());
  return pads;
}

LogicalResult writeConvolution(Writer &w, ConvolutionOp op) {
  RankedTensorType type = typeOf(op.getResult());
  int64_t rank = type.getRank();
  // Output channels, input channels, window.
  Sizes filterOrder = {rank - 1, rank - 2};
  llvm::append_range(filterOrder, countUp(rank - 2));
  Tensor x = w.ordered(op.getX(), channelsFirst(rank));
  Tensor filter = w.ordered(op.getFilter(), filterOrder);
  bool isBytes = x.element.isUnsignedInteger(8);
  if (!isBytes && !isa<FloatType>(x.element))
    return w.refuse("ONNX convolves floats and bytes only");
  Tensor result =
      w.node(isBytes ? "ConvInteger" : "Conv", {x, filter})
          .set("kernel_shape", ArrayRef(filter.shape).drop_front(2))
          .set("strides", op.getStrides())
          .set("pads", paddingsOf(op))
          .set("dilations", op.getDilations())
          .set("group", int64_t(op.getGroups()))
          .result(channelsFirstShape(op.getResult()), type.getElementType());
  holdChannelsFirst(w, op, result);
  return success();
}

template <typename Op>
Node poolNode(Writer &w, StringRef name, Op op) {
  Tensor x = w.ordered(op.getX(), channelsFirst(typeOf(op.getX()).getRank()));
  return w.node(name, x)
      .set("kernel_shape", op.getWindow())
      .set("strides", op.getStrides())
      .set("pads", paddingsOf(op));
}

/// Whether ONNX finds the largest of such elements.
bool canPool(Type element) {
  return isa<FloatType>(element) || element.getIntOrFloatBitWidth() == 8;
}

LogicalResult writePoolMax(Writer &w, PoolMaxOp op) {
  Type element = typeOf(op.getX()).getElementType();
  if (!canPool(element))
    return w.refuse("ONNX pools floats and bytes only");
  holdChannelsFirst(w, op,
                    poolNode(w, "MaxPool", op)
                        .result(channelsFirstShape(op.getResult()), element));
  return success();
}

/// ONNX counts positions in the whole tensor, with channels first: the pixel is
/// the remainder.
LogicalResult writePoolArgMax(Writer &w, PoolArgMaxOp op) {
  RankedTensorType type = typeOf(op.getX());
  if (!canPool(type.getElementType()))
    return w.refuse("ONNX pools floats and bytes only");
  Type i64 = w.builder().getI64Type();
  Sizes shape = channelsFirstShape(op.getResult());
  Node node = poolNode(w, "MaxPool", op);
  (void)node.result(shape, type.getElementType());
  Tensor positions = node.result(shape, i64);
  int64_t channels = type.getShape().back(), pixels = 1;
  for (int64_t size : type.getShape().drop_front().drop_back())
    pixels *= size;
  Tensor pixel =
      w.node("Mod", {positions, w.numbers(pixels)}).result(shape, i64);
  Sizes perChannel(type.getRank() - 1, 1);
  perChannel[0] = channels;
  Tensor channel = w.reshaped(w.numbers(countUp(channels)), perChannel);
  Tensor first = w.map("Mul", {pixel, w.numbers(channels)});
  holdChannelsFirst(w, op, w.map("Add", {first, channel}));
  return success();
}

LogicalResult writePoolAverage(Writer &w, PoolAverageOp op) {
  Type element = typeOf(op.getX()).getElementType();
  holdChannelsFirst(
      w, op,
      poolNode(w, "AveragePool", op)
          .set("count_include_pad", int64_t(op.getCountsPadding()))
          .result(channelsFirstShape(op.getResult()), element));
  return success();
}

Tensor softmax(Writer &w, StringRef name, const View &view) {
  return w.node(name, view.tensor)
      .set("axis", view.order.back())
      .result(view.full, view.tensor.element);
}

LogicalResult writeSoftmax(Writer &w, SoftmaxOp op) {
  View view = w.filled(op.getX());
  Tensor x = view.tensor;
  view.tensor = softmax(w, "Softmax", view);
  if (op.getMasked()) {
    // A row of -inf becomes zeros instead of NaN.
    Tensor most = w.reduced("ReduceMax", x, view.order.back(), true);
    double lowest = -std::numeric_limits<double>::infinity();
    Tensor isEmpty = w.map("Equal", {most, w.number(lowest, x.element)},
                           w.builder().getI1Type());
    view.tensor =
        w.map("Where", {isEmpty, w.number(0, x.element), view.tensor});
  }
  w.hold(op, view);
  return success();
}

LogicalResult writeLogSoftmax(Writer &w, LogSoftmaxOp op) {
  View view = w.filled(op.getX());
  view.tensor = softmax(w, "LogSoftmax", view);
  w.hold(op, view);
  return success();
}

} // namespace

void addNeural(OpWriters &writers) {
  addWriter<MatmulOp, writeMatmul>(writers);
  addWriter<ConvolutionOp, writeConvolution>(writers);
  addWriter<PoolMaxOp, writePoolMax>(writers);
  addWriter<PoolArgMaxOp, writePoolArgMax>(writers);
  addWriter<PoolAverageOp, writePoolAverage>(writers);
  addWriter<SoftmaxOp, writeSoftmax>(writers);
  addWriter<LogSoftmaxOp, writeLogSoftmax>(writers);
}

} // namespace weir::to_onnx
