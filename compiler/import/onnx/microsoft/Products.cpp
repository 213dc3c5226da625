// Products and convolutions with scales, transposes and activations around
// them.

#include "compiler/import/onnx/microsoft/Activations.h"
#include "compiler/import/onnx/microsoft/Microsoft.h"
#include "compiler/import/onnx/microsoft/Part.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// The permutation that moves dimension 0 behind the batch dimensions, and
/// then exchanges the last two. A vector stays as it is.
Integers orderOf(int64_t rank, bool movesBatch, bool transposes) {
  Integers order = dimsFrom(0, rank);
  if (rank < 2)
    return order;
  if (movesBatch)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (transposes)
    std::swap(order[rank - 2], order[rank - 1]);
  return order;
}

/// alpha A B, each of A and B transposed first where the node says so.
LogicalResult importFusedMatMul(Node &node) {
  if (failed(wantFloats(node, 2, 1)))
    return failure();
  Expr a = operand(node, 0), b = operand(node, 1);
  if (b.rank() < 1)
    return node.error() << "multiplies by " << b.type();
  double alpha = node.floatAttr("alpha", 1);
  if (alpha != 1) {
    a = widened(a);
    b = widened(b);
  }
  bool left = node.intAttr("transA") != 0, right = node.intAttr("transB") != 0;
  a = transpose(a, orderOf(a.rank(), node.intAttr("transBatchA") != 0, left));
  b = transpose(b, orderOf(b.rank(), node.intAttr("transBatchB") != 0, right));
  auto y = Part(node, "MatMul").runForOne({a, b});
  if (failed(y))
    return failure();
  if (*y && alpha != 1)
    *y = cast(*y * alpha, node.element(0));
  return give(node, *y);
}

/// Gives `y` after the activation that the node names.
LogicalResult giveActivated(Node &node, FailureOr<Expr> y,
                            ArrayRef<double> parameters) {
  if (failed(y))
    return failure();
  auto z = activated(node, *y, node.stringAttr("activation"), parameters);
  return failed(z) ? failure() : give(node, *z);
}

/// A Gemm and an activation.
LogicalResult importFusedGemm(Node &node) {
  if (failed(wantFloats(node, 2)))
    return failure();
  Part gemm(node, "Gemm");
  gemm.keep({"alpha", "beta", "transA", "transB"});
  auto y =
      gemm.runForOne({operand(node, 0), operand(node, 1), operand(node, 2)});
  SmallVector<double> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (node.hasAttr(name))
      parameters.push_back(node.floatAttr(name));
  return giveActivated(node, y, parameters);
}

/// A product, a bias and the approximation of Gelu.
LogicalResult importGemmFastGelu(Node &node) {
  if (failed(wantFloats(node, 2, 1)))
    return failure();
  auto y = Part(node, "MatMul").runForOne({operand(node, 0), operand(node, 1)});
  if (failed(y))
    return failure();
  if (!*y)
    return give(node, *y);
  Expr wide = widened(*y);
  if (node.has(2)) {
    auto bias = forLast(node, 2, *y);
    if (failed(bias))
      return failure();
    wide = wide + widened(*bias);
  }
  return give(node, cast(gaussianErrorByTanh(wide), node.element(0)));
}

/// A convolution with the node's own windows.
FailureOr<Expr> convolution(Node &node, ArrayRef<Expr> operands) {
  Part conv(node, "Conv");
  conv.keep(
      {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  return conv.runForOne(operands);
}

/// Gives a convolution's result, plus operand 3 where there is one, after the
/// activation with the parameters that convolutions have.
LogicalResult giveConvolved(Node &node, FailureOr<Expr> y) {
  if (failed(y))
    return failure();
  if (*y && node.has(3)) {
    if (node.type(3) != y->type())
      return node.error() << "adds " << node.type(3) << " to " << y->type();
    *y = *y + operand(node, 3);
  }
  auto floats = node.floatsAttr("activation_params");
  SmallVector<double> parameters(floats.begin(), floats.end());
  return giveActivated(node, *y, parameters);
}

/// Operands: images, filters, a bias, and what is added before the activation.
LogicalResult importFusedConv(Node &node) {
  if (failed(wantFloats(node, 2, 3)))
    return failure();
  return giveConvolved(node,
                       convolution(node, {operand(node, 0), operand(node, 1),
                                          operand(node, 2)}));
}

/// Images with channels last. So are those of the filters where that fits: the
/// definition has them first, and kernels read them last.
LogicalResult importNhwcConv(Node &node) {
  if (failed(wantFloats(node, 2, 3)))
    return failure();
  Expr x = operand(node, 0), w = operand(node, 1);
  int64_t groups = node.intAttr("group", 1);
  if (w.rank() != x.rank() || groups < 1 || x.shape().back() % groups)
    return node.error() << "cannot convolve " << x.type() << " with "
                        << w.type() << " in " << groups << " groups";
  Integers size = node.intsAttr("kernel_shape");
  ArrayRef<int64_t> inner = w.shape().drop_front().drop_back();
  bool isLast = w.shape().back() == x.shape().back() / groups &&
                (size.empty() || ArrayRef<int64_t>(size) == inner);
  if (isLast)
    w = channelsFirst(w);
  auto y = convolution(node, {channelsFirst(x), w, operand(node, 2)});
  if (failed(y))
    return failure();
  return giveConvolved(node, *y ? channelsLast(*y) : *y);
}

} // namespace

void addMicrosoftProductHandlers(Handlers &handlers) {
  handlers["com.microsoft::FusedConv"] = importFusedConv;
  handlers["com.microsoft::FusedGemm"] = importFusedGemm;
  handlers["com.microsoft::FusedMatMul"] = importFusedMatMul;
  handlers["com.microsoft::GemmFastGelu"] = importGemmFastGelu;
  handlers["com.microsoft::NhwcConv"] = importNhwcConv;
  handlers["com.microsoft::NhwcFusedConv"] = importNhwcConv;
  handlers["com.microsoft::TransposeMatMul"] = importFusedMatMul;
}

} // namespace weir::onnx
