// Builds the loss, and the training step that lowers it.

#include "passes/train/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/loss/FormLoss.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "passes/train/Step.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#define DEBUG_TYPE "weir-form-training"

using namespace mlir;
using namespace weir::graph::build;

namespace weir::train {
#define GEN_PASS_DEF_FORMTRAINING
#include "passes/train/Passes.h.inc"

namespace {

/// Makes `value` the only result of a function.
void setResult(func::FuncOp function, Value value, StringRef name) {
  Builder b(function.getContext());
  StringAttr text = b.getStringAttr(name);
  Operation *end = function.getBody().front().getTerminator();
  end->setOperands(value);
  function.setType(
      b.getFunctionType(function.getArgumentTypes(), value.getType()));
  function.setResAttrsAttr(b.getArrayAttr(
      b.getDictionaryAttr({b.getNamedAttr(attrs::name.name(), text),
                           b.getNamedAttr(attrs::tensor.name(), text)})));
}

/// Replaces the results of the function by its loss.
LogicalResult replaceByLoss(func::FuncOp function, const train::Recipe &recipe,
                            ArrayRef<int64_t> dynamicDims) {
  Operation *end = function.getBody().front().getTerminator();
  if (end->getNumOperands() == 0)
    return function.emitError("gives nothing that a loss could be of");
  train::LossOperands operands{end->getOperand(0)};
  if (end->getNumOperands() > 1)
    operands.labels = end->getOperand(1);
  operands.dynamicDims = dynamicDims;
  if (!dynamicDims.empty())
    operands.sizes = end->getOperands().back();
  OpBuilder b(end);
  FailureOr<Value> loss = train::formLoss(b, function, operands, recipe);
  if (failed(loss))
    return failure();
  setResult(function, *loss, "loss");
  return success();
}

struct FormTraining : impl::FormTrainingBase<FormTraining> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto all = attrs::training.of(module);
    func::FuncOp function;
    for (auto each : module.getOps<func::FuncOp>())
      if (attrs::lossOperands.isOn(each))
        function = each;
    if (!all || !function)
      return;
    if (failed(form(module, function, train::Recipe(all))))
      return signalPassFailure();
    attrs::training.remove(module);
    for (auto variable : module.getOps<graph::VariableOp>())
      attrs::trained.remove(variable);
  }

private:
  LogicalResult form(ModuleOp module, func::FuncOp loss,
                     const train::Recipe &recipe) {
    const Optimizer *optimizer = findOptimizer(recipe.text("optimizer"));
    if (!optimizer)
      return loss.emitError("has an unknown optimizer: '")
             << recipe.text("optimizer") << "'";
    auto dynamicDims = attrs::lossOperands.of(loss);
    attrs::lossOperands.remove(loss);
    if (failed(replaceByLoss(loss, recipe,
                             dynamicDims ? dynamicDims.asArrayRef()
                                         : std::nullopt)))
      return failure();
    Builder b(&getContext());
    func::FuncOp step = loss.clone();
    step.setSymName((loss.getSymName() + "_step").str());
    attrs::entry.set(step, b.getStringAttr("train_step"));
    module.getBody()->getOperations().insertAfter(loss->getIterator(), step);
    // Evaluating the loss must not change variables.
    loss.walk([](graph::WriteVariableOp op) { op.erase(); });
    bool hasInit =
        llvm::any_of(module.getOps<func::FuncOp>(),
                     [](func::FuncOp each) { return attrs::init.isOn(each); });
    bool hasFirstValues =
        hasInit || llvm::all_of(module.getOps<graph::VariableOp>(),
                                [](graph::VariableOp variable) {
                                  return variable.getInitial().has_value();
                                });
    return buildStep(step, recipe, *optimizer, hasFirstValues);
  }
};

} // namespace
} // namespace weir::train
