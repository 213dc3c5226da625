// The loss, and the entry that makes it less.

#include "passes/train/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"
#include "passes/train/LossScale.h"
#include "passes/train/Losses.h"
#include "passes/train/Step.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#define DEBUG_TYPE "weir-form-training"

using namespace mlir;
using namespace weir::graph::build;

namespace weir {
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
      b.getDictionaryAttr({b.getNamedAttr("weir.name", text),
                           b.getNamedAttr("weir.tensor", text)})));
}

/// The sizes of an output, of which the run knows some: its last result.
struct OutputSizes {
  /// The dimensions that only the run knows; none: all are those of the type.
  ArrayRef<int64_t> open;
  Value list;
};

/// The mean of terms, which have the first dimensions of the output, of those
/// within its sizes.
Expr meanOf(Expr terms, const OutputSizes &sizes) {
  if (!terms || terms.rank() == 0)
    return terms;
  ImplicitLocOpBuilder &b = *terms.b;
  double known = 1;
  Expr count, mask;
  for (int64_t dim = 0; dim < terms.rank(); ++dim) {
    if (!llvm::is_contained(sizes.open, dim)) {
      known *= static_cast<double>(terms.size(dim));
      continue;
    }
    Expr size = reshape(slice(Expr(b, sizes.list), 0, dim, 1), {});
    SmallVector<int64_t> shape(terms.rank(), 1);
    shape[dim] = terms.size(dim);
    Expr index = graph::iota(b, b.getI64Type(), shape, dim);
    Expr isWithin = apply<graph::LessOp>(index, size);
    mask = mask ? apply<graph::LogicalAndOp>(mask, isWithin) : isWithin;
    count = count ? count * size : size;
  }
  if (!count)
    return train::sumOfAll(terms) / known;
  // A loss of no elements is 0, and changes nothing.
  count = cast(maximum(count * known, count.like(1)), terms.elementType());
  return train::sumOfAll(select(mask, terms, terms.like(0))) / count;
}

/// Replaces what the function gives by its loss, which is computed at least in
/// f32: sums of 16 bits are soon too large.
LogicalResult formLoss(func::FuncOp function, const train::Recipe &recipe,
                       ArrayRef<int64_t> openDims) {
  Operation *end = function.getBody().front().getTerminator();
  if (end->getNumOperands() == 0)
    return function.emitError("gives nothing that a loss could be of");
  Value output = end->getOperand(0);
  auto type = dyn_cast<RankedTensorType>(output.getType());
  if (!type || !isa<FloatType>(type.getElementType()))
    return mlir::emitError(output.getLoc())
           << "is a " << output.getType() << "; a loss is of floats";
  ImplicitLocOpBuilder b(output.getLoc(), end);
  if (recipe.text("loss").empty()) {
    setResult(function, train::sumOfAll(train::inFull(Expr(b, output))).value,
              "loss");
    return success();
  }
  const train::Loss *loss = train::findLoss(recipe.text("loss"));
  if (!loss)
    return function.emitError("has an unknown loss: '")
           << recipe.text("loss") << "'";
  RankedTensorType wanted = train::labelsType(*loss, type);
  if (!wanted)
    return mlir::emitError(output.getLoc())
           << "is a " << type << ", of which there is no "
           << recipe.text("loss");
  if (StringRef(loss->name).contains("softmax") &&
      llvm::is_contained(openDims, type.getRank() - 1))
    return mlir::emitError(output.getLoc())
           << "has as many classes as only the run knows, of which there is "
              "no "
           << loss->name << "; fix the last dimension with --shape";
  OutputSizes sizes{openDims, {}};
  if (!openDims.empty())
    sizes.list = end->getOperands().back();
  Value labels = end->getNumOperands() > 1
                     ? end->getOperand(1)
                     : train::addInput(function, wanted, recipe.text("labels"));
  auto given = cast<RankedTensorType>(labels.getType());
  bool agrees = given.getShape() == wanted.getShape() &&
                (loss->sparse ? isa<IntegerType>(given.getElementType())
                              : given == wanted);
  if (!agrees)
    return mlir::emitError(labels.getLoc())
           << "is a " << given << "; labels for " << recipe.text("loss")
           << " are a " << wanted;
  Value scores = train::scoresOf(*loss, output);
  Expr truth(b, labels);
  Expr terms = loss->of(train::inFull(Expr(b, scores)),
                        loss->sparse ? truth : train::inFull(truth),
                        recipe.number(loss->parameter, loss->value));
  Expr value = meanOf(terms, sizes);
  if (!value)
    return function.emitError("has a loss that cannot be built");
  setResult(function, value.value, "loss");
  return success();
}

struct FormTraining : impl::FormTrainingBase<FormTraining> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto all = module->getAttrOfType<DictionaryAttr>("weir.training");
    func::FuncOp function;
    for (auto each : module.getOps<func::FuncOp>())
      if (each->hasAttr("weir.training"))
        function = each;
    if (!all || !function)
      return;
    if (failed(form(module, function, train::Recipe(all))))
      return signalPassFailure();
    module->removeAttr("weir.training");
    for (auto variable : module.getOps<graph::VariableOp>())
      variable->removeAttr("weir.trained");
  }

private:
  LogicalResult form(ModuleOp module, func::FuncOp loss,
                     const train::Recipe &recipe) {
    const train::Optimizer *optimizer =
        train::findOptimizer(recipe.text("optimizer"));
    if (!optimizer)
      return loss.emitError("has an unknown optimizer: '")
             << recipe.text("optimizer") << "'";
    auto openDims = loss->getAttrOfType<DenseI64ArrayAttr>("weir.training");
    loss->removeAttr("weir.training");
    if (failed(formLoss(loss, recipe,
                        openDims ? openDims.asArrayRef() : std::nullopt)))
      return failure();
    Builder b(&getContext());
    func::FuncOp step = loss.clone();
    step.setSymName((loss.getSymName() + "_step").str());
    step->setAttr("weir.entry", b.getStringAttr("train_step"));
    module.getBody()->getOperations().insertAfter(loss->getIterator(), step);
    // A loss is looked at as often as anyone likes.
    loss.walk([](graph::WriteVariableOp op) { op.erase(); });
    bool hasInit =
        llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp each) {
          return each->hasAttr("weir.init");
        });
    bool hasFirstValues =
        hasInit || llvm::all_of(module.getOps<graph::VariableOp>(),
                                [](graph::VariableOp variable) {
                                  return variable.getInitial().has_value();
                                });
    return train::buildStep(step, recipe, *optimizer, hasFirstValues);
  }
};

} // namespace
} // namespace weir
