// Activations with a bias, and those that fused operators name.

#include "compiler/import/onnx/microsoft/Activations.h"

#include "compiler/import/onnx/microsoft/Microsoft.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {

Expr gaussianError(Expr x) {
  constexpr double rootOfHalf = 0.70710678118654752440;
  return x * 0.5 * (apply<graph::ErfOp>(x * rootOfHalf) + 1);
}

Expr gaussianErrorByTanh(Expr x) {
  constexpr double rootOfTwoOverPi = 0.79788456080286535588;
  return x * 0.5 * (tanh((x + x * x * x * 0.044715) * rootOfTwoOverPi) + 1);
}

FailureOr<Expr> forLast(Node &node, unsigned i, Expr x) {
  Expr vector = operand(node, i);
  if (!vector || vector.rank() != 1 || x.rank() < 1 ||
      vector.size(0) != x.shape().back())
    return node.error() << "operand " << i << ", " << node.type(i)
                        << ", has no value for each element of the last "
                           "dimension of "
                        << x.type();
  return vector;
}

FailureOr<Expr> activated(Node &node, Expr x, StringRef name,
                          ArrayRef<double> parameters) {
  auto at = [&](size_t i, double otherwise) {
    return i < parameters.size() ? parameters[i] : otherwise;
  };
  if (!x || name.empty() || name == "Identity")
    return x;
  if (name == "Relu")
    return apply<graph::ReluOp>(x);
  if (name == "Tanh")
    return tanh(x);
  if (name == "Sigmoid")
    return sigmoid(x);
  if (name == "Softplus")
    return apply<graph::SoftplusOp>(x);
  if (name == "Softsign")
    return x / (apply<graph::AbsOp>(x) + 1);
  if (name == "Gelu")
    return gaussianError(x);
  if (name == "LeakyRelu")
    return Expr(node.b,
                make<graph::LeakyReluOp>(node.b, x.type(), x.value,
                                         node.b.getF64FloatAttr(at(0, 0.01f))));
  if (name == "Elu")
    return select(less(x, x.like(0)), apply<graph::Expm1Op>(x) * at(0, 1), x);
  if (name == "HardSigmoid")
    return clamp(x * at(0, 0.2f) + at(1, 0.5f), 0, 1);
  if (name == "HardSwish")
    return x * clamp(x / 6 + 0.5, 0, 1);
  if (name == "Clip" && parameters.size() == 2)
    return clamp(x, parameters[0], parameters[1]);
  if (name == "ThresholdedRelu")
    return select(less(x.like(at(0, 1)), x), x, x.like(0));
  return node.error() << "activation '" << escaped(name, 40)
                      << "' is unknown, or lacks its parameters";
}

namespace {

/// Operand 0, of floats, plus the vector at operand 1 where there is one;
/// computed in f32 at least.
FailureOr<Expr> biased(Node &node, unsigned least) {
  if (failed(wantFloats(node, least)))
    return failure();
  Expr x = operand(node, 0);
  if (!node.has(1))
    return widened(x);
  auto bias = forLast(node, 1, x);
  if (failed(bias))
    return failure();
  return widened(x) + widened(*bias);
}

template <Expr function(Expr), unsigned least>
LogicalResult importBiased(Node &node) {
  auto x = biased(node, least);
  if (failed(x))
    return failure();
  return give(node, cast(function(*x), node.element(0)));
}

LogicalResult importQuickGelu(Node &node) {
  if (failed(wantFloats(node, 1)))
    return failure();
  Expr x = widened(operand(node, 0));
  Expr y = x * sigmoid(x * node.floatAttr("alpha", 1.702f));
  return give(node, cast(y, node.element(0)));
}

/// The sum of an image's words, their bias and a skip connection.
LogicalResult importBiasAdd(Node &node) {
  if (failed(wantFloats(node, 3)))
    return failure();
  auto x = biased(node, 3);
  if (failed(x))
    return failure();
  if (node.shape(2) != node.shape(0))
    return node.error() << "adds " << node.type(2) << " to " << node.type(0);
  return give(node, cast(*x + widened(operand(node, 2)), node.element(0)));
}

/// The first half of the last dimension times the Gelu of the second.
LogicalResult importBiasSplitGelu(Node &node) {
  auto x = biased(node, 2);
  if (failed(x))
    return failure();
  int64_t last = x->rank() - 1, size = x->shape().back();
  if (size % 2)
    return node.error() << "cannot halve the last dimension of "
                        << node.type(0);
  Expr left = slice(*x, last, 0, size / 2),
       right = slice(*x, last, size / 2, size / 2);
  return give(node, cast(left * gaussianError(right), node.element(0)));
}

} // namespace

void addMicrosoftActivationHandlers(Handlers &handlers) {
  handlers["com.microsoft::BiasAdd"] = importBiasAdd;
  handlers["com.microsoft::BiasGelu"] = importBiased<gaussianError, 2>;
  handlers["com.microsoft::BiasSplitGelu"] = importBiasSplitGelu;
  handlers["com.microsoft::FastGelu"] = importBiased<gaussianErrorByTanh, 1>;
  handlers["com.microsoft::Gelu"] = importBiased<gaussianError, 1>;
  handlers["com.microsoft::QuickGelu"] = importQuickGelu;
}

} // namespace weir::onnx
