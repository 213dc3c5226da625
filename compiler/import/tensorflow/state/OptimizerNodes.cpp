// Imports the update ops of optimizers: it passes operands in TensorFlow's
// order to the formulas and assigns the results.

#include "compiler/import/Build.h"
#include "compiler/import/Operands.h"
#include "compiler/import/tensorflow/state/State.h"
#include "compiler/import/tensorflow/state/VariableNodes.h"

#include "dialects/graph/build/Updates.h"

using namespace mlir;
using namespace weir::graph::build;

namespace weir::tensorflow {

namespace {

/// The operands of a step, in TensorFlow's order; the first ones are variables,
/// which it assigns. A scalar of i64 among them becomes one of the others'
/// type.
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
      if (!good)
        break;
      values.push_back(Expr(node.b, *value));
      if (i && values.back().elementType().isInteger(64))
        values.back() = cast(values.back(), values.front().elementType());
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

  /// Assigns what is kept, then the variable.
  LogicalResult finish(const Updated &updated) {
    for (size_t k = updated.size(); k-- > 0;) {
      unsigned i = k;
      const Variable *variable = variableAt(node, i);
      if (!variable)
        return node.error() << "operand " << i << " is no variable";
      if (!updated[i])
        return node.error() << "its operands do not fit together";
      if (failed(assign(node, *variable, updated[i].value)))
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
};

bool isNesterov(Node &node) { return node.boolAttr("use_nesterov"); }

/// A handler of nodes with `count` operands that takes them to a formula.
template <unsigned count, Updated (*update)(Node &, const Step &)>
LogicalResult import(Node &node) {
  Step x(node, count);
  return x ? x.finish(update(node, x)) : failure();
}

/// var, alpha, delta
Updated descend(Node &, const Step &x) {
  return gradientDescent(x[0], x[1], x[2]);
}
/// var, accum, lr, grad, momentum
Updated withMomentum(Node &node, const Step &x) {
  return momentum(x[0], x[1], x[2], x[3], x[4], isNesterov(node));
}
Updated withKerasMomentum(Node &node, const Step &x) {
  return kerasMomentum(x[0], x[1], x[2], x[3], x[4], isNesterov(node));
}
/// var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad
Updated byAdam(Node &node, const Step &x) {
  return adam(x[0], {x[1], x[2], x[3], x[4], x[6], x[7], x[8]}, x[5], x[9],
              isNesterov(node));
}
/// var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad
Updated byAdaMax(Node &, const Step &x) {
  return adaMax(x[0], {x[1], x[2], x[3], {}, x[5], x[6], x[7]}, x[4], x[8]);
}

/// var, accum, lr, grad; the second version has an epsilon before grad.
LogicalResult importAdagrad(Node &node) {
  bool isSecond = node.op().ends_with("V2");
  Step x(node, isSecond ? 5 : 4);
  if (!x)
    return failure();
  bool accumulates = node.boolAttr("update_slots", true);
  Updated updated = adagrad(x[0], x[1], x[2], isSecond ? x[3] : Expr(),
                            x[isSecond ? 4 : 3], accumulates);
  if (!accumulates)
    updated.pop_back();
  return x.finish(updated);
}

/// var, sum, squares, grad, lr, l1, l2, global_step
Updated byAdagradDual(Node &, const Step &x) {
  return adagradDual(x[0], x[1], x[2], x[4], x[5], x[6], x[7], x[3]);
}
/// var, accum, accum_update, lr, rho, epsilon, grad
Updated byAdadelta(Node &, const Step &x) {
  return adadelta(x[0], x[1], x[2], x[3], x[4], x[5], x[6]);
}
/// var, ms, mom, lr, rho, momentum, epsilon, grad
Updated byRmsProp(Node &, const Step &x) {
  return rmsProp(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
}
/// var, mg, ms, mom, lr, rho, momentum, epsilon, grad
Updated byCenteredRmsProp(Node &, const Step &x) {
  return centeredRmsProp(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
}
/// var, alpha, l1, l2, delta
Updated byProximalDescent(Node &, const Step &x) {
  return proximalGradientDescent(x[0], x[1], x[2], x[3], x[4]);
}
/// var, accum, lr, l1, l2, grad
Updated byProximalAdagrad(Node &, const Step &x) {
  return proximalAdagrad(x[0], x[1], x[2], x[3], x[4], x[5]);
}
/// var, m, lr, alpha or logbase, sign_decay, beta, grad
Updated bySign(Node &node, const Step &x) {
  return signedStep(x[0], x[1], x[2], x[3], x[4], x[5], x[6],
                    node.op().contains("Power"));
}

/// var, accum, linear, grad, lr, l1, l2, [l2_shrinkage,] lr_power
LogicalResult importFtrl(Node &node) {
  if (node.boolAttr("multiply_linear_by_lr"))
    return node.unsupported("a linear term with the rate in it");
  bool isSecond = node.op().ends_with("V2");
  Step x(node, isSecond ? 9 : 8);
  if (!x)
    return failure();
  return x.finish(ftrl(x[0], x[1], x[2], x[4], x[5], x[6],
                       isSecond ? x[7] : Expr(), x[isSecond ? 8 : 7], x[3]));
}

} // namespace

void addOptimizerHandlers(Handlers &handlers) {
  const std::pair<StringRef, Handler> all[] = {
      {"GradientDescent", import <3, descend>},
      {"Momentum", import <5, withMomentum>},
      {"KerasMomentum", import <5, withKerasMomentum>},
      {"Adam", import <10, byAdam>},
      {"AdaMax", import <9, byAdaMax>},
      {"Adagrad", importAdagrad},
      {"AdagradV2", importAdagrad},
      {"AdagradDA", import <8, byAdagradDual>},
      {"Adadelta", import <7, byAdadelta>},
      {"RMSProp", import <8, byRmsProp>},
      {"CenteredRMSProp", import <9, byCenteredRmsProp>},
      {"ProximalGradientDescent", import <5, byProximalDescent>},
      {"ProximalAdagrad", import <6, byProximalAdagrad>},
      {"Ftrl", importFtrl},
      {"FtrlV2", importFtrl},
      {"AddSign", import <7, bySign>},
      {"PowerSign", import <7, bySign>}};
  for (auto [name, run] : all)
    for (StringRef kind : {"Apply", "ResourceApply"})
      handlers[(kind + name).str()] = {run, Takes::anything};
  // Younger than references.
  handlers.erase("ApplyKerasMomentum");
}

} // namespace weir::tensorflow
