// Builds gradients and the assignments of an optimizer.

#include "passes/train/Step.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/build/ElementCheck.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/graph/loss/FormLoss.h"
#include "dialects/weir/Attributes.h"
#include "passes/train/LossScale.h"

using namespace mlir;
using namespace weir::graph::build;

namespace weir::train {

namespace {

/// The ops of a block whose results may depend on the loss.
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

/// Builds a training step in a function that returns its loss.
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
    SmallVector<Value> wanted(reads.begin(), reads.end());
    b.setLoc(loss.getLoc());
    LossScale scale(recipe, variables, b);
    auto gradients =
        b.create<graph::GradientOp>(scale.scaled(Expr(b, loss)).value, wanted);
    for (auto [read, gradient] : llvm::zip(reads, gradients.getResults())) {
      b.setLoc(read.getLoc());
      slopes.push_back(scale.unscaled(Expr(b, gradient)));
    }
    // A dynamic scale expects gradients that are not finite.
    if (checksNumbers() && !scale.isDynamic())
      checkSlopes(Expr(b, loss));
    addMasters();
    auto moveIfFinite = [&] {
      return scale.isDynamic() ? move(scale) : move();
    };
    if (steps == 1)
      return moveIfFinite();
    return accumulate(moveIfFinite);
  }

private:
  /// Whether the function has the checks of a debugging library.
  bool checksNumbers() {
    return function
        .walk([](graph::CheckOp check) {
          return check.getElement().empty() ? WalkResult::advance()
                                            : WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  /// Ends a step whose gradients are not finite before it assigns variables.
  void checkSlopes(Expr loss) {
    Expr fails = apply<graph::LogicalNotOp>(areFinite(loss));
    for (auto [read, slope] : llvm::zip(reads, slopes)) {
      b.setLoc(read.getLoc());
      Expr finite(b, make<graph::IsFiniteOp>(b, slope.value));
      std::string name = variables.of(read).nameInModel().str();
      checkElements(b, apply<graph::LogicalOrOp>(allOf(finite), fails), slope,
                    finite,
                    "variable '" + name +
                        "': the loss is finite, and the gradient is not");
    }
  }

  /// 16-bit variables get an f32 master copy, which keeps small updates.
  void addMasters() {
    for (graph::ReadVariableOp read : reads) {
      graph::VariableOp variable = variables.of(read), master;
      Type element = variable.getTensorType().getElementType();
      if (element.getIntOrFloatBitWidth() < 32 &&
          recipe.text("master_weights") != "none")
        master = variables.addMaster(variable);
      masters.push_back(master);
    }
  }

  /// Assigns the updated variables.
  LogicalResult move() {
    for (auto [read, master] : llvm::zip(reads, masters)) {
      b.setLoc(read.getLoc());
      values.push_back(master ? train::read(b, master) : Expr(b, read));
    }
    for (auto [i, slope] : llvm::enumerate(slopes)) {
      b.setLoc(reads[i].getLoc());
      slope = masters[i] ? inFull(slope) : slope;
      slope = withDecay(i, steps == 1 ? slope : slope / steps);
    }
    clip();
    addShared();
    for (size_t i = 0; i < reads.size(); ++i)
      if (failed(update(i)))
        return failure();
    finishShared();
    return success();
  }

  /// As above, if all gradients are finite.
  LogicalResult move(LossScale &scale) {
    b.setLoc(function.getLoc());
    Expr are = areFinite(slopes);
    LossScale::Next moved = scale.grown(), left = scale.shrunk();
    return choose(are,
                  {{moved.good, left.good, scale.goodSteps()},
                   {moved.scale, left.scale, scale.variable()}},
                  [&] { return move(); });
  }

  /// A variable, and its values if a condition is true or false.
  struct Chosen {
    Expr isTrue, isFalse;
    graph::VariableOp variable;
  };

  /// Builds ops that run only if a condition is true.
  LogicalResult choose(Expr condition, ArrayRef<Chosen> all,
                       llvm::function_ref<LogicalResult()> build) {
    b.setLoc(function.getLoc());
    SmallVector<Value> isTrue, isFalse;
    for (const Chosen &each : all) {
      isTrue.push_back(each.isTrue.value);
      isFalse.push_back(each.isFalse.value);
    }
    auto branch =
        b.create<graph::IfOp>(TypeRange(ValueRange(isTrue)), condition.value);
    for (auto [each, value] : llvm::zip(all, branch.getResults()))
      write(each.variable, Expr(b, value));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&branch.getElseRegion().emplaceBlock());
    b.create<graph::YieldOp>(isFalse);
    b.setInsertionPointToEnd(&branch.getThenRegion().emplaceBlock());
    b.setInsertionPoint(b.create<graph::YieldOp>(isTrue));
    return build();
  }

  /// Accumulates the gradients of several steps; the last one updates
  /// variables.
  LogicalResult accumulate(llvm::function_ref<LogicalResult()> build) {
    b.setLoc(function.getLoc());
    graph::VariableOp count =
        variables.add("accumulated_steps",
                      RankedTensorType::get({}, b.getI64Type()), 0, b.getLoc());
    Expr before = read(b, count), now = before + 1;
    Expr isFirst = apply<graph::EqualOp>(before, before.like(0));
    // A checkpoint may have counted more steps, so the test is not for
    // equality.
    Expr isLast = apply<graph::GreaterEqualOp>(now, now.like(steps));
    for (auto [read, slope] : llvm::zip(reads, slopes)) {
      b.setLoc(read.getLoc());
      slope = inFull(slope);
      graph::VariableOp kept = variables.add(
          (variables.of(read).nameInModel() + "/gradient_sum").str(),
          slope.type(), 0, read.getLoc());
      // The first step of a sum overwrites the sum before.
      Expr sum = train::read(b, kept) + slope;
      sum = select(isFirst, slope, sum);
      write(kept, sum);
      slope = sum;
    }
    return choose(isLast, {{now.like(0), now, count}}, build);
  }

  /// Finds the reads of trained variables on which the loss may depend.
  LogicalResult findVariables(Value loss) {
    llvm::DenseSet<Operation *> behind = opsBehind(loss), seen;
    for (auto read : function.getOps<graph::ReadVariableOp>()) {
      graph::VariableOp variable = variables.of(read);
      if (!variable || !attrs::trained.isOn(variable) ||
          !behind.contains(read) || !seen.insert(variable).second)
        continue;
      reads.push_back(read);
    }
    if (reads.empty())
      return mlir::emitError(loss.getLoc())
             << "the loss depends on no variable that is to be trained";
    return success();
  }

  Expr withDecay(size_t i, Expr slope) {
    double decay = recipe.decayOf(variables.of(reads[i]).nameInModel());
    if (decay == 0 || optimizer.decays)
      return slope;
    b.setLoc(reads[i].getLoc());
    return slope + cast(values[i], slope.elementType()) * decay;
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
    // Squares of f16 overflow early, so the norm is computed in f32.
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

  /// Adds the optimizer's global variables.
  void addShared() {
    b.setLoc(function.getLoc());
    auto type = RankedTensorType::get({}, b.getF32Type());
    if (optimizer.powers) {
      // The first step uses the first powers.
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

  LogicalResult update(size_t i) {
    graph::VariableOp variable = variables.of(reads[i]);
    StringRef name = variable.nameInModel();
    b.setLoc(reads[i].getLoc());
    Step step;
    step.parameters = &numbers;
    step.x = values[i];
    Type element = step.x.elementType();
    step.slope = cast(slopes[i], element);
    step.rate = rate ? cast(Expr(b, rate), element) : step["lr"];
    for (auto [to, shared] : {std::pair(&step.meanPower, meanPower),
                              std::pair(&step.squarePower, squarePower),
                              std::pair(&step.number, number)})
      if (shared)
        *to = cast(shared, element);
    step.decay = optimizer.decays ? recipe.decayOf(name) : 0;
    SmallVector<graph::VariableOp> kept;
    for (unsigned k = 0; k < optimizer.kept(numbers); ++k) {
      std::string slot = (name + "/" + optimizer.name).str();
      if (k)
        slot += "_" + std::to_string(k);
      kept.push_back(variables.add(
          slot, step.x.type(), optimizer.first(numbers, k), variable.getLoc()));
      attrs::optimizerState.set(kept.back());
      step.kept.push_back(read(b, kept.back()));
    }
    Updated updated = optimizer.update(step);
    for (size_t k = updated.size(); k-- > 0;) {
      if (!updated[k] || updated[k].type() != step.x.type())
        return variable.emitError("has a step that cannot be built");
      if (k)
        write(kept[k - 1], updated[k]);
    }
    if (masters[i])
      write(masters[i], updated[0]);
    write(variable,
          cast(updated[0], variable.getTensorType().getElementType()));
    return success();
  }

  func::FuncOp function;
  Variables variables;
  const Recipe &recipe;
  const Optimizer &optimizer;
  double steps; // the number of steps whose gradients are accumulated
  ImplicitLocOpBuilder b;
  llvm::StringMap<double> numbers;
  SmallVector<graph::ReadVariableOp> reads;
  // null for a variable without master copy
  SmallVector<graph::VariableOp> masters;
  // gradients, and the variables that they update
  SmallVector<Expr> slopes, values;
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
