// Asks for gradients and assigns what an optimizer makes of them.

#include "passes/train/Step.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/graph/state/State.h"
#include "llvm/ADT/StringSet.h"
#include <numeric>

using namespace mlir;
using namespace weir::graph::build;

namespace weir::train {

Expr sumOfAll(Expr x) {
  if (x.rank() == 0)
    return x;
  SmallVector<int64_t> dims(x.rank());
  std::iota(dims.begin(), dims.end(), 0);
  return sum(x, dims);
}

Value addInput(func::FuncOp function, RankedTensorType type, StringRef name) {
  Builder b(function.getContext());
  StringAttr text = b.getStringAttr(name);
  unsigned i = function.getNumArguments();
  function.insertArgument(
      i, type,
      b.getDictionaryAttr({b.getNamedAttr("weir.name", text),
                           b.getNamedAttr("weir.tensor", text)}),
      NameLoc::get(text, function.getLoc()));
  return function.getArgument(i);
}

namespace {

/// The ops of a block through which gradients may come from a value.
llvm::DenseSet<Operation *> opsBehind(Value loss) {
  llvm::DenseSet<Operation *> found;
  SmallVector<Operation *> work;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loss.getParentBlock())
      return;
    auto kind = dyn_cast<graph::DifferentiableOpInterface>(op);
    bool stops = kind && kind.derivative() == graph::Derivative::zero;
    if (!stops && found.insert(op).second)
      work.push_back(op);
  };
  add(loss);
  while (!work.empty())
    work.pop_back_val()->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        add(operand);
    });
  return found;
}

/// Builds a step in a function that gives its loss.
class StepBuilder {
public:
  StepBuilder(func::FuncOp function, const Recipe &recipe,
              const Optimizer &optimizer, bool hasFirstValues)
      : function(function), module(function->getParentOfType<ModuleOp>()),
        symbols(module), recipe(recipe), optimizer(optimizer),
        hasFirstValues(hasFirstValues),
        b(function.getLoc(), function.getBody().front().getTerminator()) {
    for (const Parameter &parameter : optimizer.parameters)
      numbers[parameter.name] = recipe.number(parameter.name, parameter.value);
    for (auto variable : module.getOps<graph::VariableOp>()) {
      StringRef symbol = variable.getSymName();
      symbol.consume_front("var:");
      for (StringRef name : {symbol, StringRef(variable.nameInModel()),
                             StringRef(variable.keyInCheckpoint())})
        taken.insert(name);
    }
  }

  LogicalResult run() {
    Value loss = function.getBody().front().getTerminator()->getOperand(0);
    if (failed(findVariables(loss)))
      return failure();
    if (recipe.has("rate_input"))
      rate = addInput(function, RankedTensorType::get({}, b.getF32Type()),
                      recipe.text("rate_input"));
    SmallVector<Value> values;
    for (graph::ReadVariableOp read : reads)
      values.push_back(read);
    b.setLoc(loss.getLoc());
    auto gradients = b.create<graph::GradientOp>(loss, values);
    for (auto [read, gradient] : llvm::zip(reads, gradients.getResults()))
      slopes.push_back(withDecay(read, Expr(b, gradient)));
    clip();
    addShared();
    for (auto [read, slope] : llvm::zip(reads, slopes))
      if (failed(update(read, slope)))
        return failure();
    finishShared();
    return success();
  }

private:
  /// The reads of variables that are trained and that the loss may depend on.
  LogicalResult findVariables(Value loss) {
    llvm::DenseSet<Operation *> behind = opsBehind(loss), seen;
    for (auto read : function.getOps<graph::ReadVariableOp>()) {
      auto variable = symbols.lookup<graph::VariableOp>(read.getVariable());
      if (!variable || !variable->hasAttr("weir.trained") ||
          !behind.contains(read) || !seen.insert(variable).second)
        continue;
      reads.push_back(read);
    }
    if (reads.empty())
      return mlir::emitError(loss.getLoc())
             << "the loss depends on no variable that is to be trained";
    return success();
  }

  graph::VariableOp variableOf(graph::ReadVariableOp read) {
    return symbols.lookup<graph::VariableOp>(read.getVariable());
  }

  Expr withDecay(graph::ReadVariableOp read, Expr slope) {
    double decay = recipe.decayOf(variableOf(read).nameInModel());
    if (decay == 0 || optimizer.decays)
      return slope;
    b.setLoc(read.getLoc());
    return slope + Expr(b, read) * decay;
  }

  void clip() {
    StringRef kind = recipe.text("clip");
    if (kind.empty())
      return;
    double at = recipe.number("clip_at", 1);
    if (kind == "value") {
      for (Expr &slope : slopes)
        slope = clamp(slope, -at, at);
      return;
    }
    // At least in f32: squares of f16 overflow early.
    auto squares = [&](Expr x) {
      if (x.elementType().getIntOrFloatBitWidth() < 32)
        x = cast(x, b.getF32Type());
      return sumOfAll(x * x);
    };
    auto scale = [&](Expr sum) {
      Expr length = apply<graph::SqrtOp>(sum);
      return length.like(at) / maximum(length, length.like(at));
    };
    Expr all;
    for (Expr slope : slopes) {
      Expr sum = squares(slope);
      all = all ? all + cast(sum, all.elementType()) : sum;
    }
    for (Expr &slope : slopes) {
      Expr by = scale(kind == "norm" ? squares(slope) : all);
      slope = slope * cast(by, slope.elementType());
    }
  }

  /// A variable besides the model's; of a name that the model has not.
  graph::VariableOp addVariable(StringRef name, RankedTensorType type,
                                double first, Location at) {
    std::string free = name.str();
    for (unsigned i = 1; !taken.insert(free).second; ++i)
      free = name.str() + "_" + std::to_string(i);
    OpBuilder outer(function);
    ElementsAttr initial = hasFirstValues ? splatAttr(type, first) : nullptr;
    auto variable = outer.create<graph::VariableOp>(
        at, "var:" + free, type, initial, outer.getStringAttr(free),
        StringAttr());
    symbols.insert(variable);
    return variable;
  }

  Expr read(graph::VariableOp variable) {
    return Expr(b, b.create<graph::ReadVariableOp>(variable.getTensorType(),
                                                   variable.getSymName()));
  }
  void write(graph::VariableOp variable, Expr value) {
    b.create<graph::WriteVariableOp>(variable.getSymName(), value.value);
  }

  /// What is kept once for all variables.
  void addShared() {
    b.setLoc(function.getLoc());
    auto type = RankedTensorType::get({}, b.getF32Type());
    if (optimizer.powers) {
      // At the first step they are the first powers.
      powers[0] =
          addVariable("beta1_power", type, numbers["beta1"], b.getLoc());
      powers[1] =
          addVariable("beta2_power", type, numbers["beta2"], b.getLoc());
      meanPower = read(powers[0]);
      squarePower = read(powers[1]);
    }
    if (optimizer.steps) {
      type = RankedTensorType::get({}, b.getI64Type());
      steps = addVariable("global_step", type, 0, b.getLoc());
      number = read(steps) + 1;
    }
  }

  void finishShared() {
    b.setLoc(function.getLoc());
    if (optimizer.powers) {
      write(powers[0], meanPower * numbers["beta1"]);
      write(powers[1], squarePower * numbers["beta2"]);
    }
    if (optimizer.steps)
      write(steps, number);
  }

  LogicalResult update(graph::ReadVariableOp from, Expr slope) {
    graph::VariableOp variable = variableOf(from);
    StringRef name = variable.nameInModel();
    b.setLoc(from.getLoc());
    Step step;
    step.parameters = &numbers;
    step.x = Expr(b, from);
    step.slope = slope;
    Type element = step.x.elementType();
    step.rate = rate ? cast(Expr(b, rate), element) : step["lr"];
    for (auto [to, shared] : {std::pair(&step.meanPower, meanPower),
                              std::pair(&step.squarePower, squarePower),
                              std::pair(&step.number, number)})
      if (shared)
        *to = cast(shared, element);
    step.decay = optimizer.decays ? recipe.decayOf(name) : 0;
    SmallVector<graph::VariableOp> kept;
    for (unsigned i = 0; i < optimizer.kept(numbers); ++i) {
      std::string slot = (name + "/" + optimizer.name).str();
      if (i)
        slot += "_" + std::to_string(i);
      kept.push_back(addVariable(slot, variable.getTensorType(),
                                 optimizer.first(numbers, i),
                                 variable.getLoc()));
      step.kept.push_back(read(kept.back()));
    }
    Updated updated = optimizer.update(step);
    for (size_t i = updated.size(); i-- > 0;) {
      if (!updated[i] || updated[i].type() != variable.getType())
        return variable.emitError("has a step that cannot be built");
      write(i ? kept[i - 1] : variable, updated[i]);
    }
    return success();
  }

  func::FuncOp function;
  ModuleOp module;
  SymbolTable symbols;
  llvm::StringSet<> taken; // names of variables, also in checkpoints
  const Recipe &recipe;
  const Optimizer &optimizer;
  bool hasFirstValues;
  ImplicitLocOpBuilder b;
  llvm::StringMap<double> numbers;
  SmallVector<graph::ReadVariableOp> reads;
  SmallVector<Expr> slopes;
  Value rate;
  graph::VariableOp powers[2], steps;
  Expr meanPower, squarePower, number;
};

} // namespace

LogicalResult buildStep(func::FuncOp function, const Recipe &recipe,
                        const Optimizer &optimizer, bool hasFirstValues) {
  return StepBuilder(function, recipe, optimizer, hasFirstValues).run();
}

} // namespace weir::train
