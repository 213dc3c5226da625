// Activation functions, each with its formula in ONNX's operator reference.

#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// A function of one float tensor.
template <Expr function(Node &, Expr)>
LogicalResult importFunction(Node &node) {
  if (failed(wantOperands(node, 1, 1)) ||
      failed(wantElements(node, 0, Elements::numbers)))
    return failure();
  return give(node, function(node, operand(node, 0)));
}

Expr relu(Expr x) { return apply<graph::ReluOp>(x); }

Expr celu(Node &node, Expr x) {
  double alpha = node.floatAttr("alpha", 1);
  // Of what is not taken the exponential would overflow.
  if (alpha > 0)
    return relu(x) +
           apply<graph::Expm1Op>(minimum(x / alpha, x.like(0))) * alpha;
  return relu(x) + minimum(apply<graph::Expm1Op>(x / alpha) * alpha, x.like(0));
}

Expr elu(Node &node, Expr x) {
  double alpha = node.floatAttr("alpha", 1);
  return select(less(x, x.like(0)),
                apply<graph::Expm1Op>(minimum(x, x.like(0))) * alpha, x);
}

Expr selu(Node &node, Expr x) {
  double alpha = node.floatAttr("alpha", 1.67326319217681884765625);
  double gamma = node.floatAttr("gamma", 1.05070102214813232421875);
  return select(less(x.like(0), x), x,
                apply<graph::Expm1Op>(minimum(x, x.like(0))) * alpha) *
         gamma;
}

Expr gelu(Node &node, Expr x) {
  Type type = x.elementType();
  x = widened(x);
  Expr inner;
  StringRef approximate = node.stringAttr("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    node.error() << "approximates by '" << escaped(approximate, 20)
                 << "', which is neither none nor tanh";
    return {};
  }
  if (approximate == "tanh") {
    constexpr double rootOfTwoOverPi = 0.79788456080286535588;
    inner = tanh((x + x * x * x * 0.044715) * rootOfTwoOverPi);
  } else {
    constexpr double rootOfHalf = 0.70710678118654752440;
    inner = apply<graph::ErfOp>(x * rootOfHalf);
  }
  return cast(x * 0.5 * (inner + 1), type);
}

Expr hardSigmoid(Node &node, Expr x) {
  return clamp(x * node.floatAttr("alpha", 0.2f) + node.floatAttr("beta", 0.5f),
               0, 1);
}

Expr hardSwish(Node &node, Expr x) { return x * clamp(x / 6 + 0.5, 0, 1); }

Expr mish(Node &node, Expr x) { return x * tanh(apply<graph::SoftplusOp>(x)); }

Expr swish(Node &node, Expr x) {
  return x * sigmoid(x * node.floatAttr("alpha", 1));
}

Expr shrink(Node &node, Expr x) {
  double bias = node.floatAttr("bias", 0), limit = node.floatAttr("lambd", 0.5);
  return select(less(x, x.like(-limit)), x + bias,
                select(less(x.like(limit), x), x - bias, x.like(0)));
}

Expr thresholdedRelu(Node &node, Expr x) {
  return select(less(x.like(node.floatAttr("alpha", 1)), x), x, x.like(0));
}

/// Swish of the gate, which scales the other operand; the two do not broadcast.
LogicalResult importSwiGlu(Node &node) {
  if (failed(wantOperands(node, 2, 2)) ||
      failed(wantElements(node, 0, Elements::floats)))
    return failure();
  Expr gate = operand(node, 0), x = operand(node, 1);
  if (gate.type() != x.type())
    return node.error() << "gates a " << x.type() << " by a " << gate.type();
  return give(node, swish(node, gate) * x);
}

LogicalResult importLeakyRelu(Node &node) {
  if (failed(wantOperands(node, 1, 1)) ||
      failed(wantElements(node, 0, Elements::floats)))
    return failure();
  return node.result(make<graph::LeakyReluOp>(
      node.b, node.type(0), node.operand(0),
      node.b.getF64FloatAttr(node.floatAttr("alpha", 0.01f))));
}

} // namespace

void addActivationHandlers(Handlers &handlers) {
  handlers["Celu"] = importFunction<celu>;
  handlers["Elu"] = importFunction<elu>;
  handlers["Gelu"] = importFunction<gelu>;
  handlers["HardSigmoid"] = importFunction<hardSigmoid>;
  handlers["HardSwish"] = importFunction<hardSwish>;
  handlers["LeakyRelu"] = importLeakyRelu;
  handlers["Mish"] = importFunction<mish>;
  handlers["Selu"] = importFunction<selu>;
  handlers["Shrink"] = importFunction<shrink>;
  handlers["SwiGLU"] = importSwiGlu;
  handlers["Swish"] = importFunction<swish>;
  handlers["ThresholdedRelu"] = importFunction<thresholdedRelu>;
}

} // namespace weir::onnx
