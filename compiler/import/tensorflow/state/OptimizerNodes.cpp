// The steps of optimizers: new values of a variable and of what is kept for it
// from step to step, as TensorFlow's kernels compute them.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/neural/Expr.h"
#include "compiler/import/tensorflow/state/State.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {

namespace {

Expr square(Expr x) { return x * x; }
Expr sqrt(Expr x) { return apply<graph::SqrtOp>(x); }
Expr abs(Expr x) { return apply<graph::AbsOp>(x); }
Expr sign(Expr x) { return apply<graph::SignOp>(x); }

/// The operands of a step, in TensorFlow's order; the first ones are variables,
/// whose new values the step says with `set`.
class Step {
public:
  explicit Step(Node &node, unsigned count) : node(node) {
    if (node.size() != count) {
      node.error() << "has " << node.size() << " operands instead of " << count;
      good = false;
    }
    for (unsigned i = 0; good && i < count; ++i) {
      FailureOr<Value> value = tensorAt(node, i);
      good = succeeded(value);
      if (good)
        values.push_back(Expr(node.b, *value));
    }
    for (const Expr &value : values)
      if (good && value.elementType() != values.front().elementType()) {
        node.error() << "its operands differ in type: " << values.front().type()
                     << " and " << value.type();
        good = false;
      }
    good = good && isa<FloatType>(values.front().elementType());
  }

  explicit operator bool() const { return good; }
  Expr operator[](unsigned i) const { return values[i]; }
  void set(unsigned i, Expr value) { news.push_back({i, value}); }

  /// Assigns what was set.
  LogicalResult finish() {
    for (auto [i, value] : news) {
      const Variable *variable = variableAt(node, i);
      if (!variable)
        return node.error() << "operand " << i << " is no variable";
      if (!value)
        return node.error() << "its operands do not fit together";
      if (failed(assign(node, *variable, value.value)))
        return failure();
    }
    if (!variableAt(node, 0)->isReference)
      return node.tracedResults({});
    return node.tracedResults({{{}, {}, node.traced(0).object}});
  }

private:
  Node &node;
  bool good = true;
  SmallVector<Expr> values;
  SmallVector<std::pair<unsigned, Expr>> news;
};

bool isNesterov(Node &node) { return node.boolAttr("use_nesterov"); }

/// var, alpha, delta
LogicalResult importGradientDescent(Node &node) {
  Step x(node, 3);
  if (!x)
    return failure();
  x.set(0, x[0] - x[1] * x[2]);
  return x.finish();
}

/// var, accum, lr, grad, momentum
LogicalResult importMomentum(Node &node) {
  Step x(node, 5);
  if (!x)
    return failure();
  Expr accum = x[1] * x[4] + x[3];
  x.set(1, accum);
  x.set(0, isNesterov(node) ? x[0] - (x[3] * x[2] + accum * x[4] * x[2])
                            : x[0] - accum * x[2]);
  return x.finish();
}

/// The same, with the rate in what is kept.
LogicalResult importKerasMomentum(Node &node) {
  Step x(node, 5);
  if (!x)
    return failure();
  Expr accum = x[1] * x[4] - x[2] * x[3];
  x.set(1, accum);
  x.set(0,
        isNesterov(node) ? x[0] + (accum * x[4] - x[2] * x[3]) : x[0] + accum);
  return x.finish();
}

/// var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad
LogicalResult importAdam(Node &node) {
  Step x(node, 10);
  if (!x)
    return failure();
  Expr rate = x[5] * sqrt(1 - x[4]) / (1 - x[3]);
  Expr m = x[1] + (x[9] - x[1]) * (1 - x[6]);
  Expr v = x[2] + (square(x[9]) - x[2]) * (1 - x[7]);
  x.set(1, m);
  x.set(2, v);
  Expr by = isNesterov(node) ? m * x[6] + x[9] * (1 - x[6]) : m;
  x.set(0, x[0] - by * rate / (sqrt(v) + x[8]));
  return x.finish();
}

/// var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad
LogicalResult importAdaMax(Node &node) {
  Step x(node, 9);
  if (!x)
    return failure();
  Expr m = x[1] + (x[8] - x[1]) * (1 - x[5]);
  Expr v = maximum(x[2] * x[6], abs(x[8]));
  x.set(1, m);
  x.set(2, v);
  x.set(0, x[0] - x[4] / (1 - x[3]) * (m / (v + x[7])));
  return x.finish();
}

/// var, accum, lr, grad; the second version has an epsilon before grad.
LogicalResult importAdagrad(Node &node) {
  bool isSecond = node.op().ends_with("V2");
  Step x(node, isSecond ? 5 : 4);
  if (!x)
    return failure();
  Expr grad = x[isSecond ? 4 : 3], accum = x[1];
  if (node.boolAttr("update_slots", true)) {
    accum = accum + square(grad);
    x.set(1, accum);
  }
  Expr root = sqrt(accum);
  x.set(0, x[0] - grad * x[2] / (isSecond ? root + x[3] : root));
  return x.finish();
}

/// var, accum, accum_update, lr, rho, epsilon, grad
LogicalResult importAdadelta(Node &node) {
  Step x(node, 7);
  if (!x)
    return failure();
  Expr accum = x[1] * x[4] + square(x[6]) * (1 - x[4]);
  Expr update = sqrt(x[2] + x[5]) / sqrt(accum + x[5]) * x[6];
  x.set(1, accum);
  x.set(2, x[2] * x[4] + square(update) * (1 - x[4]));
  x.set(0, x[0] - update * x[3]);
  return x.finish();
}

/// var, ms, mom, lr, rho, momentum, epsilon, grad
LogicalResult importRmsProp(Node &node) {
  Step x(node, 8);
  if (!x)
    return failure();
  Expr ms = x[1] + (square(x[7]) - x[1]) * (1 - x[4]);
  Expr mom = x[2] * x[5] + x[7] * x[3] / sqrt(ms + x[6]);
  x.set(1, ms);
  x.set(2, mom);
  x.set(0, x[0] - mom);
  return x.finish();
}

/// var, mg, ms, mom, lr, rho, momentum, epsilon, grad
LogicalResult importCenteredRmsProp(Node &node) {
  Step x(node, 9);
  if (!x)
    return failure();
  Expr ms = x[2] + (square(x[8]) - x[2]) * (1 - x[5]);
  Expr mg = x[1] + (x[8] - x[1]) * (1 - x[5]);
  Expr mom = x[3] * x[6] + x[8] * x[4] / sqrt(ms - square(mg) + x[7]);
  x.set(1, mg);
  x.set(2, ms);
  x.set(3, mom);
  x.set(0, x[0] - mom);
  return x.finish();
}

/// What an L1 norm leaves of a value: nothing of what is within `by`.
Expr shrunk(Expr x, Expr by) {
  return sign(x) * maximum(abs(x) - by, by.like(0));
}

/// var, alpha, l1, l2, delta
LogicalResult importProximalGradientDescent(Node &node) {
  Step x(node, 5);
  if (!x)
    return failure();
  x.set(0, shrunk(x[0] - x[1] * x[4], x[1] * x[2]) / (x[3] * x[1] + 1));
  return x.finish();
}

/// var, accum, lr, l1, l2, grad
LogicalResult importProximalAdagrad(Node &node) {
  Step x(node, 6);
  if (!x)
    return failure();
  Expr accum = x[1] + square(x[5]), rate = x[2] / sqrt(accum);
  x.set(1, accum);
  x.set(0, shrunk(x[0] - x[5] * rate, rate * x[3]) / (x[4] * rate + 1));
  return x.finish();
}

/// var, m, lr, alpha or logbase, sign_decay, beta, grad
LogicalResult importSign(Node &node) {
  Step x(node, 7);
  if (!x)
    return failure();
  Expr m = x[1] * x[5] + x[6] * (1 - x[5]);
  Expr agreement = x[4] * sign(x[6]) * sign(m);
  Expr factor = node.op().contains("Power")
                    ? apply<graph::ExpOp>(x[3] * agreement)
                    : x[3] + agreement;
  x.set(1, m);
  x.set(0, x[0] - x[2] * factor * x[6]);
  return x.finish();
}

} // namespace

void addOptimizerHandlers(Handlers &handlers) {
  const std::pair<StringRef, Handler> all[] = {
      {"GradientDescent", importGradientDescent},
      {"Momentum", importMomentum},
      {"KerasMomentum", importKerasMomentum},
      {"Adam", importAdam},
      {"AdaMax", importAdaMax},
      {"Adagrad", importAdagrad},
      {"AdagradV2", importAdagrad},
      {"Adadelta", importAdadelta},
      {"RMSProp", importRmsProp},
      {"CenteredRMSProp", importCenteredRmsProp},
      {"ProximalGradientDescent", importProximalGradientDescent},
      {"ProximalAdagrad", importProximalAdagrad},
      {"AddSign", importSign},
      {"PowerSign", importSign}};
  for (auto [name, run] : all)
    for (StringRef kind : {"Apply", "ResourceApply"})
      handlers[(kind + name).str()] = {run, Takes::anything};
  // Younger than references.
  handlers.erase("ApplyKerasMomentum");
}

} // namespace weir::tensorflow
