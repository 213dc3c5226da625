// Asks for gradients and assigns what an optimizer makes of them.

#include "passes/train/Step.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/gradients/Gradient.h"
#include "passes/train/Variables.h"
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
      : function(function), variables(function, hasFirstValues), recipe(recipe),
        optimizer(optimizer), steps(recipe.number("accumulate", 1)),
        b(function.getLoc(), function.getBody().front().getTerminator()) {
    for (const Parameter &parameter : optimizer.parameters)
      numbers[parameter.name] = recipe.number(parameter.name, parameter.value);
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
    for (Value gradient : gradients.getResults())
      slopes.push_back(Expr(b, gradient));
    if (Expr isLast = accumulate())
      return onlyWhere(isLast, [&] { return move(); });
    return move();
  }

private:
  /// Assigns what the optimizer makes of the gradients.
  LogicalResult move() {
    for (auto [read, slope] : llvm::zip(reads, slopes))
      slope = withDecay(read, steps == 1 ? slope : slope / steps);
    clip();
    addShared();
    for (auto [read, slope] : llvm::zip(reads, slopes))
      if (failed(update(read, slope)))
        return failure();
    finishShared();
    return success();
  }

  /// Has ops that are built meanwhile run only where a condition holds.
  LogicalResult onlyWhere(Expr condition,
                          llvm::function_ref<LogicalResult()> build) {
    b.setLoc(function.getLoc());
    auto branch = b.create<graph::IfOp>(TypeRange(), condition.value);
    OpBuilder::InsertionGuard guard(b);
    for (Region *region : {&branch.getElseRegion(), &branch.getThenRegion()}) {
      b.setInsertionPointToEnd(&region->emplaceBlock());
      b.setInsertionPoint(b.create<graph::YieldOp>(ValueRange()));
    }
    return build();
  }

  /// Where gradients are of several steps, has them be the sums of these;
  /// whether this step is the last one. Without a value where each step moves.
  Expr accumulate() {
    if (steps == 1)
      return {};
    b.setLoc(function.getLoc());
    graph::VariableOp count =
        variables.add("accumulated_steps",
                      RankedTensorType::get({}, b.getI64Type()), 0, b.getLoc());
    Expr before = read(b, count), now = before + 1;
    Expr isFirst = apply<graph::EqualOp>(before, before.like(0));
    // Not only where equal: a checkpoint may be of more steps.
    Expr isLast = apply<graph::GreaterEqualOp>(now, now.like(steps));
    write(count, select(isLast, now.like(0), now));
    for (auto [read, slope] : llvm::zip(reads, slopes)) {
      b.setLoc(read.getLoc());
      slope = inFull(slope);
      graph::VariableOp kept = variables.add(
          (variables.of(read).nameInModel() + "/gradient_sum").str(),
          slope.type(), 0, read.getLoc());
      // The first of the sum takes the place of the last one's.
      Expr sum = train::read(b, kept) + slope;
      sum = select(isFirst, slope, sum);
      write(kept, sum);
      slope = sum;
    }
    return isLast;
  }

  /// At least in f32.
  Expr inFull(Expr x) {
    return x.elementType().getIntOrFloatBitWidth() < 32
               ? cast(x, b.getF32Type())
               : x;
  }

  /// The reads of variables that are trained and that the loss may depend on.
  LogicalResult findVariables(Value loss) {
    llvm::DenseSet<Operation *> behind = opsBehind(loss), seen;
    for (auto read : function.getOps<graph::ReadVariableOp>()) {
      graph::VariableOp variable = variables.of(read);
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

  Expr withDecay(graph::ReadVariableOp read, Expr slope) {
    double decay = recipe.decayOf(variables.of(read).nameInModel());
    if (decay == 0 || optimizer.decays)
      return slope;
    b.setLoc(read.getLoc());
    return slope + cast(Expr(b, read), slope.elementType()) * decay;
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
    // Squares of f16 overflow early.
    auto squares = [&](Expr x) {
      x = inFull(x);
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

  /// What is kept once for all variables.
  void addShared() {
    b.setLoc(function.getLoc());
    auto type = RankedTensorType::get({}, b.getF32Type());
    if (optimizer.powers) {
      // At the first step they are the first powers.
      powers[0] =
          variables.add("beta1_power", type, numbers["beta1"], b.getLoc());
      powers[1] =
          variables.add("beta2_power", type, numbers["beta2"], b.getLoc());
      meanPower = read(b, powers[0]);
      squarePower = read(b, powers[1]);
    }
    if (optimizer.steps) {
      type = RankedTensorType::get({}, b.getI64Type());
      global = variables.add("global_step", type, 0, b.getLoc());
      number = read(b, global) + 1;
    }
  }

  void finishShared() {
    b.setLoc(function.getLoc());
    if (optimizer.powers) {
      write(powers[0], meanPower * numbers["beta1"]);
      write(powers[1], squarePower * numbers["beta2"]);
    }
    if (optimizer.steps)
      write(global, number);
  }

  LogicalResult update(graph::ReadVariableOp from, Expr slope) {
    graph::VariableOp variable = variables.of(from);
    StringRef name = variable.nameInModel();
    b.setLoc(from.getLoc());
    Step step;
    step.parameters = &numbers;
    step.x = Expr(b, from);
    Type element = step.x.elementType();
    step.slope = cast(slope, element);
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
      kept.push_back(variables.add(slot, variable.getTensorType(),
                                   optimizer.first(numbers, i),
                                   variable.getLoc()));
      step.kept.push_back(read(b, kept.back()));
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
  Variables variables;
  const Recipe &recipe;
  const Optimizer &optimizer;
  double steps; // whose gradients move the variables together
  ImplicitLocOpBuilder b;
  llvm::StringMap<double> numbers;
  SmallVector<graph::ReadVariableOp> reads;
  SmallVector<Expr> slopes;
  Value rate;
  graph::VariableOp powers[2], global;
  Expr meanPower, squarePower, number;
};

} // namespace

LogicalResult buildStep(func::FuncOp function, const Recipe &recipe,
                        const Optimizer &optimizer, bool hasFirstValues) {
  return StepBuilder(function, recipe, optimizer, hasFirstValues).run();
}

} // namespace weir::train
