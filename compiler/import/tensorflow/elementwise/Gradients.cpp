// Gradients of elementwise functions, as TensorFlow's own graphs spell them.

#include "compiler/import/tensorflow/elementwise/Operands.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

constexpr double seluScale = 1.0507009873554804934193349852946;
constexpr double seluAlpha = 1.6732632423543772848170429916717;

Expr positive(Expr x) { return apply<graph::GreaterOp>(x, x.like(0)); }

// Of the gradient and the operand of the function.

Expr relu(Node &, Expr dy, Expr x) {
  return select(positive(x), dy, dy.like(0));
}

Expr relu6(Node &, Expr dy, Expr x) {
  Expr inside = apply<graph::LogicalAndOp>(positive(x),
                                           apply<graph::LessOp>(x, x.like(6)));
  return select(inside, dy, dy.like(0));
}

Expr leakyRelu(Node &node, Expr dy, Expr x) {
  return select(positive(x), dy, dy * node.floatAttr("alpha", 0.2f));
}

Expr softplus(Node &, Expr dy, Expr x) { return dy * sigmoid(x); }

Expr softsign(Node &, Expr dy, Expr x) {
  Expr below = apply<graph::AbsOp>(x) + 1.0;
  return dy / (below * below);
}

// Of the gradient and the result of the function.

Expr elu(Node &, Expr dy, Expr y) {
  return select(apply<graph::LessOp>(y, y.like(0)), dy * (y + 1.0), dy);
}

Expr selu(Node &, Expr dy, Expr y) {
  return select(apply<graph::LessOp>(y, y.like(0)),
                dy * (y + seluScale * seluAlpha), dy * seluScale);
}

// Of the result of the function and the gradient, in this order.

Expr sigmoidOf(Node &, Expr y, Expr dy) { return dy * y * (1.0 - y); }

Expr tanhOf(Node &, Expr y, Expr dy) { return dy * (1.0 - y * y); }

Expr rsqrtOf(Node &, Expr y, Expr dy) { return dy * -0.5 * (y * y * y); }

Expr sqrtOf(Node &, Expr y, Expr dy) { return dy * 0.5 / y; }

Expr reciprocalOf(Node &, Expr y, Expr dy) { return -(dy * (y * y)); }

template <Expr (*function)(Node &, Expr, Expr)>
LogicalResult importGradient(Node &node) {
  auto operands = operandsOf(node, 2, Elements::floats);
  if (failed(operands))
    return failure();
  return give(node, function(node, (*operands)[0], (*operands)[1]));
}

} // namespace

void addGradientHandlers(Handlers &handlers) {
  handlers["ReluGrad"] = importGradient<relu>;
  handlers["Relu6Grad"] = importGradient<relu6>;
  handlers["LeakyReluGrad"] = importGradient<leakyRelu>;
  handlers["SoftplusGrad"] = importGradient<softplus>;
  handlers["SoftsignGrad"] = importGradient<softsign>;
  handlers["EluGrad"] = importGradient<elu>;
  handlers["SeluGrad"] = importGradient<selu>;
  handlers["SigmoidGrad"] = importGradient<sigmoidOf>;
  handlers["TanhGrad"] = importGradient<tanhOf>;
  handlers["RsqrtGrad"] = importGradient<rsqrtOf>;
  handlers["SqrtGrad"] = importGradient<sqrtOf>;
  handlers["ReciprocalGrad"] = importGradient<reciprocalOf>;
  handlers["InvGrad"] = importGradient<reciprocalOf>;
}

} // namespace weir::tensorflow
