// One step of an optimizer, as nodes of ONNX's preview of training.
//
// Operands: the rate, the step's number, then for all tensors the values, the
// gradients, and for each kind of state that. Results: the new values, then the
// new states, kind by kind.

#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// One tensor's operands, each kind in its order, and what becomes of it.
using Update = SmallVector<Expr> (*)(Node &, Expr rate, Expr step,
                                     ArrayRef<Expr> tensor);

template <Update update, unsigned kinds>
LogicalResult importOptimizer(Node &node) {
  if (node.size() < 2 || (node.size() - 2) % kinds || !node.has(0) ||
      !node.has(1))
    return node.error() << "has " << node.size() << " operands";
  unsigned count = (node.size() - 2) / kinds;
  for (unsigned i = 0; i < node.size(); ++i) {
    if (!node.has(i))
      return node.error() << "lacks operand " << i;
    bool isScalar = i < 2 && node.type(i).getNumElements() != 1;
    bool isFloat = i == 1 || isa<FloatType>(node.element(i));
    unsigned like = 2 + (i - 2) % std::max(count, 1u);
    bool fits = i < 2 || node.type(i) == node.type(like);
    if (isScalar || !isFloat || !fits)
      return node.error() << "does not take " << node.type(i) << " as operand "
                          << i;
  }
  SmallVector<Expr> results((kinds - 1) * count);
  for (unsigned t = 0; t < count; ++t) {
    SmallVector<Expr> tensor;
    for (unsigned kind = 0; kind < kinds; ++kind)
      tensor.push_back(operand(node, 2 + kind * count + t));
    Type element = tensor[0].elementType();
    Expr rate = cast(reshape(operand(node, 0), {}), element);
    Expr step = cast(reshape(operand(node, 1), {}), element);
    SmallVector<Expr> made = update(node, rate, step, tensor);
    if (made.empty())
      return failure();
    for (unsigned kind = 0; kind < kinds - 1; ++kind)
      results[kind * count + t] = made[kind];
  }
  return give(node, results);
}

Expr sqrt(Expr x) { return apply<graph::SqrtOp>(x); }
Expr power(double base, Expr exponent) {
  return apply<graph::PowOp>(exponent.like(base), exponent);
}

/// Of a value, its gradient and the sum of squared gradients.
SmallVector<Expr> adagrad(Node &node, Expr rate, Expr step,
                          ArrayRef<Expr> tensor) {
  Expr x = tensor[0];
  rate = rate / (step * node.floatAttr("decay_factor") + 1);
  Expr slope = x * node.floatAttr("norm_coefficient") + tensor[1];
  Expr squares = tensor[2] + slope * slope;
  Expr scale = sqrt(squares) + node.floatAttr("epsilon", 1e-6);
  return {x - rate * slope / scale, squares};
}

/// Of a value, its gradient, and the running means of gradients and of their
/// squares.
SmallVector<Expr> adam(Node &node, Expr rate, Expr step,
                       ArrayRef<Expr> tensor) {
  Expr x = tensor[0];
  double alpha = node.floatAttr("alpha", 0.9f);
  double beta = node.floatAttr("beta", 0.999f);
  Expr slope = x * node.floatAttr("norm_coefficient") + tensor[1];
  Expr mean = tensor[2] * alpha + slope * (1 - alpha);
  Expr square = tensor[3] * beta + slope * slope * (1 - beta);
  Expr scale = sqrt(square) + node.floatAttr("epsilon", 1e-6);
  // The means begin at zero, which the first steps make up for.
  Expr unbiased =
      rate * sqrt(1.0 - power(beta, step)) / (1.0 - power(alpha, step));
  rate = select(less(step.like(0), step), unbiased, rate);
  Expr moved = x - rate * mean / scale;
  return {moved * (1 - node.floatAttr("norm_coefficient_post")), mean, square};
}

/// Of a value, its gradient and its momentum.
SmallVector<Expr> momentum(Node &node, Expr rate, Expr step,
                           ArrayRef<Expr> tensor) {
  Expr x = tensor[0];
  double alpha = node.floatAttr("alpha");
  Expr slope = x * node.floatAttr("norm_coefficient") + tensor[1];
  Expr beta = select(less(step.like(0), step),
                     step.like(node.floatAttr("beta")), step.like(1));
  Expr speed = tensor[2] * alpha + slope * beta;
  StringRef mode = node.stringAttr("mode", "standard");
  bool looksAhead = mode == "nesterov";
  if (!looksAhead && mode != "standard") {
    node.error() << "has momentum of mode '" << escaped(mode, 20)
                 << "', which is neither standard nor nesterov";
    return {};
  }
  Expr change = looksAhead ? slope + speed * alpha : speed;
  return {x - rate * change, speed};
}

} // namespace

void addOptimizerHandlers(Handlers &handlers) {
  StringRef domain = "ai.onnx.preview.training";
  handlers[opKey(domain, "Adagrad")] = importOptimizer<adagrad, 3>;
  handlers[opKey(domain, "Adam")] = importOptimizer<adam, 4>;
  handlers[opKey(domain, "Momentum")] = importOptimizer<momentum, 3>;
}

} // namespace weir::onnx
