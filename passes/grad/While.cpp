// The gradient of a loop. The forward loop is changed to count its iterations,
// and the backward loop runs as many, from the last to the first. Each backward
// iteration needs the values at the start of its forward iteration. They are
// saved if the number of iterations has a known bound and the saved bytes are
// few. Otherwise they are recomputed from the first iteration on.

#include "passes/grad/Reverse.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Gradients.h"
#include "dialects/graph/Index.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace weir::grad {
namespace {

/// The limit of saved bytes; larger states are recomputed.
constexpr int64_t savedBytes = int64_t(1) << 28;

std::optional<int64_t> knownInteger(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      elements.getElementType().isInteger(1))
    return std::nullopt;
  auto number = elements.getSplatValue<APInt>();
  if (!elements.getElementType().isUnsignedInteger())
    return number.getSExtValue();
  return number.getActiveBits() < 64
             ? std::optional<int64_t>(number.getZExtValue())
             : std::nullopt;
}

/// Whether the counter's type can represent `value` without overflow.
bool reaches(Value counter, int64_t value) {
  auto type = cast<IntegerType>(getElementTypeOrSelf(counter.getType()));
  return type.isUnsigned() ? llvm::isUIntN(type.getWidth(), value)
                           : llvm::isIntN(type.getWidth(), value);
}

/// The largest number of iterations, if the loop counts up to a constant.
std::optional<int64_t> maxSteps(graph::WhileOp op) {
  Block &condition = op.getCondition().front(), &body = op.getBody().front();
  SmallVector<Value> work(condition.getTerminator()->getOperands());
  std::optional<int64_t> least;
  while (!work.empty()) {
    Operation *test = work.pop_back_val().getDefiningOp();
    if (isa_and_nonnull<graph::LogicalAndOp>(test)) {
      llvm::append_range(work, test->getOperands());
      continue;
    }
    if (!isa_and_nonnull<graph::LessOp, graph::GreaterOp>(test))
      continue;
    bool less = isa<graph::LessOp>(test);
    auto counter = dyn_cast<BlockArgument>(test->getOperand(less ? 0 : 1));
    auto limit = knownInteger(test->getOperand(less ? 1 : 0));
    if (!counter || counter.getOwner() != &condition || !limit)
      continue;
    unsigned i = counter.getArgNumber();
    auto first = knownInteger(op.getInits()[i]);
    auto next =
        body.getTerminator()->getOperand(i).getDefiningOp<graph::AddOp>();
    if (!first || !next)
      continue;
    for (unsigned k : {0, 1}) {
      auto step = knownInteger(next->getOperand(1 - k));
      if (next->getOperand(k) != body.getArgument(i) || !step || *step < 1 ||
          *limit < INT32_MIN || *limit > INT32_MAX || *first < INT32_MIN ||
          *first > INT32_MAX)
        continue;
      int64_t steps =
          std::max<int64_t>((*limit - *first + *step - 1) / *step, 0);
      if (!reaches(counter, *first + steps * *step))
        continue;
      least = least ? std::min(*least, steps) : steps;
    }
  }
  return least;
}

/// Clones the ops of a block with other arguments, and returns the yielded
/// values.
Values cloneBlock(OpBuilder &b, Block &from, ValueRange arguments) {
  IRMapping map;
  map.map(from.getArguments(), arguments);
  for (Operation &op : from.without_terminator())
    if (!isa<graph::CheckOp>(op))
      b.clone(op, map);
  Values yielded;
  for (Value value : from.getTerminator()->getOperands())
    yielded.push_back(map.lookupOrDefault(value));
  return yielded;
}

/// Creates a loop of `inits` with blocks for its regions.
graph::WhileOp startLoop(OpBuilder &b, Location loc, ValueRange inits) {
  auto loop = b.create<graph::WhileOp>(loc, inits.getTypes(), inits);
  SmallVector<Location> locations(inits.size(), loc);
  for (Region &region : loop->getRegions())
    region.emplaceBlock().addArguments(inits.getTypes(), locations);
  return loop;
}

class LoopReverse {
public:
  LoopReverse(OpBuilder &builder, graph::WhileOp op, ArrayRef<Value> seeds,
              ValueRange wanted)
      : builder(builder), op(op), seeds(seeds), wanted(wanted),
        loc(gradientLocation(op.getLoc())), captured(captures(op)),
        counterType(RankedTensorType::get({}, builder.getI32Type())) {}

  FailureOr<Values> run(graph::WhileOp &replaced) {
    findActive();
    if (failed(buildBackward()))
      return failure();
    chooseSaved();
    replaced = buildForward();
    giveStates(replaced);
    return gradientsOf();
  }

private:
  /// Finds the loop variables that may have gradients, and the wanted values
  /// that the body captures.
  void findActive() {
    for (Value value : wanted)
      if (captured.contains(value))
        outer.push_back(value);
    Block &body = op.getBody().front();
    llvm::BitVector isActive(op.getInits().size());
    for (auto [i, init] : llvm::enumerate(op.getInits()))
      if (hasGradient(init.getType()) && llvm::is_contained(wanted, init))
        isActive.set(i);
    for (bool changes = true; changes;) {
      changes = false;
      Values variables(outer);
      for (unsigned i : isActive.set_bits())
        variables.push_back(body.getArgument(i));
      auto found = dependents(body.begin(), body.getTerminator()->getIterator(),
                              variables);
      for (auto [i, next] :
           llvm::enumerate(body.getTerminator()->getOperands()))
        if (!isActive.test(i) && hasGradient(next.getType()) &&
            found.contains(next)) {
          isActive.set(i);
          changes = true;
        }
    }
    for (unsigned i : isActive.set_bits())
      active.push_back(i);
  }

  Value zerosLike(ImplicitLocOpBuilder &b, Value value) {
    return graph::filledLike(graph::Expr(b, value), 0).value;
  }

  Value counter(ImplicitLocOpBuilder &b, int64_t value) {
    return graph::build::splat(b, counterType, static_cast<double>(value));
  }

  /// Builds the backward loop. Its body has the states at the start of an
  /// iteration as further arguments, and the number of remaining iterations.
  LogicalResult buildBackward() {
    ImplicitLocOpBuilder b(loc, builder);
    Values inits{counter(b, 0)};
    for (unsigned i : active)
      inits.push_back(seeds[i] ? seeds[i] : zerosLike(b, op.getResult(i)));
    for (Value value : outer)
      inits.push_back(zerosLike(b, value));
    backward = startLoop(builder, loc, inits);
    Block &condition = backward.getCondition().front();
    OpBuilder inner = OpBuilder::atBlockEnd(&condition);
    ImplicitLocOpBuilder c(loc, inner);
    c.create<graph::YieldOp>(Value(
        c.create<graph::GreaterOp>(condition.getArgument(0), counter(c, 0))));

    Block &body = backward.getBody().front();
    for (Value init : op.getInits())
      states.push_back(body.addArgument(init.getType(), loc));
    inner = OpBuilder::atBlockEnd(&body);
    Values next = cloneBlock(inner, op.getBody().front(), states);
    auto yield = inner.create<graph::YieldOp>(loc, ValueRange());
    Values results, given, variables;
    for (auto [k, i] : llvm::enumerate(active)) {
      results.push_back(next[i]);
      given.push_back(body.getArgument(k + 1));
      variables.push_back(states[i]);
    }
    llvm::append_range(variables, outer);
    auto gradients = reverse(yield, results, given, variables);
    if (failed(gradients)) {
      backward.erase();
      return failure();
    }
    ImplicitLocOpBuilder d(loc, yield);
    Values yielded{d.create<graph::SubOp>(body.getArgument(0), counter(d, 1))};
    for (auto [k, gradient] : llvm::enumerate(*gradients)) {
      Value sum = body.getArgument(k + 1);
      if (k < active.size())
        sum = gradient ? gradient : zerosLike(d, sum);
      else if (gradient)
        sum = d.create<graph::AddOp>(sum, gradient);
      yielded.push_back(sum);
    }
    yield->setOperands(yielded);
    for (Operation &dead : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&dead))
        dead.erase();
    return success();
  }

  void chooseSaved() {
    for (auto [i, state] : llvm::enumerate(states))
      if (!state.use_empty())
        needed.push_back(i);
    steps = maxSteps(op);
    int64_t bytes = 0;
    for (unsigned i : needed) {
      RankedTensorType type = graph::build::typeOf(op.getInits()[i]);
      bytes += type.getNumElements() * 8;
    }
    int64_t all;
    if (steps && (llvm::MulOverflow(bytes, *steps, all) || all > savedBytes))
      steps.reset();
  }

  RankedTensorType stacked(RankedTensorType type) {
    SmallVector<int64_t> shape{std::max<int64_t>(*steps, 1)};
    llvm::append_range(shape, type.getShape());
    return type.clone(shape);
  }

  Values startsOf(ImplicitLocOpBuilder &b, Value step, int64_t rank) {
    Values starts{step};
    starts.append(rank, counter(b, 0));
    return starts;
  }

  /// Builds the forward loop with a counter, and with a stack for each saved
  /// state.
  graph::WhileOp buildForward() {
    OpBuilder at(op);
    ImplicitLocOpBuilder b(op.getLoc(), at);
    Values inits(op.getInits());
    unsigned count = inits.size();
    inits.push_back(counter(b, 0));
    if (steps)
      for (unsigned i : needed)
        inits.push_back(
            graph::build::splat(b, stacked(graph::build::typeOf(inits[i])), 0));
    graph::WhileOp loop = startLoop(at, op.getLoc(), inits);
    Block &condition = loop.getCondition().front(),
          &body = loop.getBody().front();
    auto move = [&](Block &from, Block &to) {
      for (auto [old, now] : llvm::zip(from.getArguments(), to.getArguments()))
        old.replaceAllUsesWith(now);
      to.getOperations().splice(to.end(), from.getOperations());
    };
    // The backward body has its own copy of these ops.
    move(op.getCondition().front(), condition);
    move(op.getBody().front(), body);
    Operation *yield = body.getTerminator();
    ImplicitLocOpBuilder c(op.getLoc(), yield);
    Value step = body.getArgument(count);
    Values yielded(yield->getOperands());
    yielded.push_back(c.create<graph::AddOp>(step, counter(c, 1)));
    if (steps)
      for (auto [k, i] : llvm::enumerate(needed)) {
        Value state = body.getArgument(i);
        SmallVector<int64_t> shape{1};
        llvm::append_range(shape, graph::build::typeOf(state).getShape());
        yielded.push_back(c.create<graph::DynamicUpdateSliceOp>(
            body.getArgument(count + 1 + k),
            graph::build::reshapeTo(c, state, shape),
            startsOf(c, step, graph::build::typeOf(state).getRank())));
      }
    yield->setOperands(yielded);
    op.replaceAllUsesWith(loop.getResults().take_front(count));
    for (Region &region : op->getRegions())
      region.dropAllReferences();
    op.erase();
    return loop;
  }

  /// Passes the number of iterations to the backward loop, and the states to
  /// its body.
  void giveStates(graph::WhileOp loop) {
    Block &body = backward.getBody().front();
    unsigned count = states.size();
    backward->setOperand(0, loop.getResult(count));
    OpBuilder inner = OpBuilder::atBlockBegin(&body);
    ImplicitLocOpBuilder b(loc, inner);
    Value step = b.create<graph::SubOp>(body.getArgument(0), counter(b, 1));
    if (steps) {
      for (auto [k, i] : llvm::enumerate(needed)) {
        RankedTensorType type = graph::build::typeOf(states[i]);
        SmallVector<int64_t> sizes{1};
        llvm::append_range(sizes, type.getShape());
        Value slice = b.create<graph::DynamicSliceOp>(
            loop.getResult(count + 1 + k), startsOf(b, step, type.getRank()),
            sizes);
        states[i].replaceAllUsesWith(
            graph::build::reshapeTo(b, slice, type.getShape()));
      }
    } else if (!needed.empty()) {
      Values inits(loop.getInits().take_front(count));
      inits.push_back(counter(b, 0));
      graph::WhileOp again = startLoop(b, loc, inits);
      Block &condition = again.getCondition().front(),
            &repeated = again.getBody().front();
      OpBuilder other = OpBuilder::atBlockEnd(&condition);
      other.create<graph::YieldOp>(
          loc, Value(other.create<graph::LessOp>(
                   loc, condition.getArgument(count), step)));
      other.setInsertionPointToEnd(&repeated);
      Values next =
          cloneBlock(other, loop.getBody().front(), repeated.getArguments());
      other.create<graph::YieldOp>(loc, next);
      for (unsigned i : needed)
        states[i].replaceAllUsesWith(again.getResult(i));
    }
    body.eraseArguments(1 + active.size() + outer.size(), count);
  }

  Values gradientsOf() {
    Values found;
    OpBuilder behind(backward);
    behind.setInsertionPointAfter(backward);
    for (Value value : wanted) {
      Value sum;
      auto add = [&](Value part) {
        sum = sum ? behind.create<graph::AddOp>(loc, sum, part).getResult()
                  : part;
      };
      for (auto [k, i] : llvm::enumerate(active))
        if (initial[i] == value)
          add(backward.getResult(1 + k));
      for (auto [k, from] : llvm::enumerate(outer))
        if (from == value)
          add(backward.getResult(1 + active.size() + k));
      found.push_back(sum);
    }
    return found;
  }

  OpBuilder &builder;
  graph::WhileOp op;
  ArrayRef<Value> seeds;
  ValueRange wanted;
  Location loc;
  llvm::SetVector<Value> captured;
  RankedTensorType counterType;
  Values initial{op.getInits()};
  SmallVector<unsigned> active, needed;
  Values outer, states;
  graph::WhileOp backward;
  std::optional<int64_t> steps;
};

} // namespace

FailureOr<Values> reverseWhile(OpBuilder &b, graph::WhileOp &op,
                               ArrayRef<Value> seeds, ValueRange wanted) {
  LoopReverse loop(b, op, seeds, wanted);
  return loop.run(op);
}

} // namespace weir::grad
