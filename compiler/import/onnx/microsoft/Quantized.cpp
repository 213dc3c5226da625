// Operators on integers that stand for floats: each computes with the floats,
// and quantizes what comes of it.

#include "compiler/import/onnx/microsoft/Activations.h"
#include "compiler/import/onnx/microsoft/Microsoft.h"
#include "compiler/import/onnx/microsoft/Part.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// The floats of operand `i`, whose scale and zero point follow it.
FailureOr<Expr> floatsAt(Node &node, unsigned i) {
  for (unsigned at : {i, i + 1})
    if (!node.has(at))
      return node.error() << "lacks operand " << at;
  return Part(node, "DequantizeLinear")
      .runForOne(
          {operand(node, i), operand(node, i + 1), operand(node, i + 2)});
}

/// Gives floats as integers by the scale at `i` and the zero point behind it,
/// which without one is 0 of the type of operand `like`.
LogicalResult giveQuantized(Node &node, Expr y, unsigned i, unsigned like) {
  if (!node.has(i))
    return node.error() << "lacks operand " << i;
  if (!y)
    return give(node, y);
  Expr zero = operand(node, i + 1);
  if (!zero)
    zero = filled(node.b, {}, node.element(like), 0);
  auto z = Part(node, "QuantizeLinear").runForOne({y, operand(node, i), zero});
  if (failed(z))
    return failure();
  return give(node, *z);
}

Expr add(Expr x, Expr y) { return x + y; }
Expr multiply(Expr x, Expr y) { return x * y; }

template <Expr function(Expr, Expr)>
LogicalResult importBinary(Node &node) {
  auto x = floatsAt(node, 0), y = floatsAt(node, 3);
  if (failed(x) || failed(y))
    return failure();
  return giveQuantized(node, function(*x, *y), 6, 0);
}

/// `function` of operand 0; the result's scale is operand 3.
template <FailureOr<Expr> function(Node &, Expr)>
LogicalResult importUnary(Node &node) {
  auto x = floatsAt(node, 0);
  if (failed(x))
    return failure();
  auto y = function(node, *x);
  if (failed(y))
    return failure();
  return giveQuantized(node, *y, 3, 0);
}

FailureOr<Expr> logistic(Node &, Expr x) { return sigmoid(x); }

FailureOr<Expr> leakyRelu(Node &node, Expr x) {
  return activated(node, x, "LeakyRelu", {node.floatAttr("alpha", 0.01f)});
}

/// Before opset 13 all dimensions from the axis on count as one.
FailureOr<Expr> softmax(Node &node, Expr x) {
  auto axis = node.axis(node.intAttr("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  if (node.intAttr("opset", 13) >= 13)
    return Part(node, "Softmax").set("axis", *axis).runForOne({x});
  int64_t rows = productOf(x.shape().take_front(*axis)),
          columns = productOf(x.shape().drop_front(*axis));
  auto y = Part(node, "Softmax")
               .set("axis", int64_t(1))
               .runForOne({reshape(x, {rows, columns})});
  if (failed(y))
    return failure();
  return reshape(*y, x.shape());
}

FailureOr<Expr> means(Node &node, Expr x) {
  Integers given = node.intsAttr("axes");
  auto axes = node.axes(given, x.rank());
  if (failed(axes))
    return failure();
  if (axes->empty())
    *axes = dimsFrom(0, x.rank());
  llvm::sort(*axes);
  return mean(x, *axes, node.intAttr("keepdims", 1) != 0);
}

/// A pool's mean of images, whose channels may be last.
template <bool isGlobal>
FailureOr<Expr> averages(Node &node, Expr x) {
  bool isLast = node.intAttr("channels_last") != 0;
  if (x.rank() < 3)
    return node.error() << "has no images " << x.type();
  if (isLast)
    x = channelsFirst(x);
  Part pool(node, isGlobal ? "GlobalAveragePool" : "AveragePool");
  if (!isGlobal)
    pool.keep({"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape",
               "pads", "strides"});
  auto y = pool.runForOne({x});
  if (failed(y))
    return failure();
  return isLast ? channelsLast(*y) : *y;
}

/// Operands: the result's scale and zero point; then each part and its own.
LogicalResult importConcat(Node &node) {
  SmallVector<Expr> parts;
  for (unsigned i = 2; i < node.size(); i += 3) {
    auto part = floatsAt(node, i);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  if (parts.empty())
    return node.error() << "has nothing to join";
  auto axis = node.axis(node.intAttr("axis"), parts.front().rank());
  if (failed(axis))
    return failure();
  return giveQuantized(node, concat(parts, *axis), 0, 2);
}

LogicalResult importWhere(Node &node) {
  if (!node.has(0) || !node.element(0).isInteger(1))
    return node.error() << "has no condition";
  auto x = floatsAt(node, 1), y = floatsAt(node, 4);
  if (failed(x) || failed(y))
    return failure();
  Expr condition = operand(node, 0);
  auto shape = broadcastShapes(x->shape(), y->shape());
  if (succeeded(shape))
    shape = broadcastShapes(*shape, condition.shape());
  if (failed(shape))
    return give(node, Expr());
  auto wide = [&](Expr e) { return broadcast(e, *shape); };
  return giveQuantized(node, select(wide(condition), wide(*x), wide(*y)), 7, 1);
}

/// A quantized convolution whose images may have channels last.
LogicalResult importConv(Node &node) {
  SmallVector<Expr> operands;
  for (unsigned i = 0; i < 9; ++i)
    operands.push_back(operand(node, i));
  if (!operands[0] || operands[0].rank() < 3)
    return node.error() << "has no images";
  bool isLast = node.intAttr("channels_last") != 0;
  if (isLast)
    operands[0] = channelsFirst(operands[0]);
  if (!operands[8])
    operands.pop_back();
  Part conv(node, "QLinearConv");
  conv.keep(
      {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  auto y = conv.runForOne(operands);
  if (failed(y))
    return failure();
  return give(node, isLast ? channelsLast(*y) : *y);
}

/// The scale at operand `i` as f32, of one element or one for each column.
Expr scaleAt(Node &node, unsigned i) {
  Expr scale = cast(operand(node, i), node.b.getF32Type());
  return scale.type().getNumElements() == 1 ? reshape(scale, {}) : scale;
}

/// Floats of integer sums: times `scale`, plus the bias at operand `i`.
LogicalResult giveScaled(Node &node, Expr sums, Expr scale, unsigned i) {
  Expr y = cast(sums, node.b.getF32Type()) * scale;
  if (y && node.has(i)) {
    auto bias = forLast(node, i, y);
    if (failed(bias))
      return failure();
    y = y + cast(*bias, y.elementType());
  }
  return give(node, y);
}

/// Floats, which are quantized first, times integers. Operands: a, b, the scale
/// and zero point of b, and a bias.
LogicalResult importDynamicMatMul(Node &node) {
  if (failed(wantFloats(node, 3, 1)))
    return failure();
  auto a = Part(node, "DynamicQuantizeLinear").run({operand(node, 0)});
  if (failed(a))
    return failure();
  auto sums =
      Part(node, "MatMulInteger")
          .runForOne({(*a)[0], operand(node, 1), (*a)[2], operand(node, 3)});
  if (failed(sums))
    return failure();
  return giveScaled(node, *sums, (*a)[1] * scaleAt(node, 2), 4);
}

/// Operands: a, b, their scales, their zero points and a bias.
LogicalResult importMatMulToFloat(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  auto sums = Part(node, "MatMulInteger")
                  .runForOne({operand(node, 0), operand(node, 1),
                              operand(node, 4), operand(node, 5)});
  if (failed(sums))
    return failure();
  return giveScaled(node, *sums, scaleAt(node, 2) * scaleAt(node, 3), 6);
}

/// Operands: a and b, each with a scale and zero point, a bias of integers, and
/// the scale and zero point of a result that is quantized too.
LogicalResult importGemm(Node &node) {
  if (failed(wantOperands(node, 6)))
    return failure();
  if (node.rank(0) != 2 || node.rank(3) != 2)
    return node.error() << "multiplies " << node.type(0) << " by "
                        << node.type(3);
  Expr a = operand(node, 0), b = operand(node, 3);
  if (node.intAttr("transA"))
    a = transposed(a);
  if (node.intAttr("transB"))
    b = transposed(b);
  auto sums = Part(node, "MatMulInteger")
                  .runForOne({a, b, operand(node, 2), operand(node, 5)});
  if (failed(sums))
    return failure();
  Expr whole = *sums;
  if (whole && node.has(6))
    whole = whole + cast(operand(node, 6), node.b.getI32Type());
  if (!whole || whole.shape() != sums->shape())
    return give(node, Expr());
  Expr y = cast(whole, node.b.getF32Type()) *
           (scaleAt(node, 1) * scaleAt(node, 4) * node.floatAttr("alpha", 1));
  return node.has(7) ? giveQuantized(node, y, 7, 0) : give(node, y);
}

} // namespace

void addMicrosoftQuantizedHandlers(Handlers &handlers) {
  auto add = [&](StringRef op, HandlerEntry entry) {
    handlers[("com.microsoft::" + op).str()] = entry;
  };
  add("DequantizeLinear", handlers.lookup("DequantizeLinear"));
  add("DynamicQuantizeMatMul", importDynamicMatMul);
  add("MatMulIntegerToFloat", importMatMulToFloat);
  add("QGemm", importGemm);
  add("QLinearAdd", importBinary<weir::onnx::add>);
  add("QLinearAveragePool", importUnary<averages<false>>);
  add("QLinearConcat", importConcat);
  add("QLinearConv", importConv);
  add("QLinearGlobalAveragePool", importUnary<averages<true>>);
  add("QLinearLeakyRelu", importUnary<leakyRelu>);
  add("QLinearMul", importBinary<multiply>);
  add("QLinearReduceMean", importUnary<means>);
  add("QLinearSigmoid", importUnary<logistic>);
  add("QLinearSoftmax", importUnary<softmax>);
  add("QLinearWhere", importWhere);
  add("QuantizeLinear", handlers.lookup("QuantizeLinear"));
}

} // namespace weir::onnx
