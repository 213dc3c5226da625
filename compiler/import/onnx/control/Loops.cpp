// Loops as graph.while, or unrolled.

#include "compiler/import/onnx/control/Loops.h"

#include "compiler/import/onnx/control/Control.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::onnx {

namespace {

/// What steps that were traced one after the other have given so far.
class Unrolled {
public:
  explicit Unrolled(const Steps &steps)
      : variables(steps.variables), goesOn(steps.goesOn),
        collected(steps.collected) {}

  /// Takes what a step gives: whether to go on, the variables, and a part of
  /// each collected result. Why it cannot, or nothing.
  StringRef take(Node &node, ArrayRef<Traced> given) {
    goesOn = {node.b, given[0].value};
    llvm::copy(given.slice(1, variables.size()), variables.begin());
    for (auto [parts, part] :
         llvm::zip_equal(collected, given.drop_front(1 + variables.size()))) {
      if (!part.value)
        return "collects what is no tensor";
      Expr value(node.b, part.value);
      Integers shape(value.shape());
      shape.insert(shape.begin(), 1);
      parts.push_back(reshape(value, shape));
      if (parts.back().type() != parts.front().type())
        return "collects tensors of different types";
    }
    return {};
  }

  /// The variables and what was collected; nothing where no step gave a part.
  std::optional<SmallVector<Traced>> results() const {
    SmallVector<Traced> all = variables;
    for (const auto &parts : collected) {
      if (parts.empty())
        return std::nullopt;
      all.push_back({concat(parts, 0).value, {}, nullptr});
    }
    return all;
  }

  SmallVector<Traced> variables;
  Expr goesOn;

private:
  SmallVector<SmallVector<Expr>> collected;
};

class StepsBuilder {
public:
  StepsBuilder(Node &node, const Steps &steps) : node(node), steps(steps) {}

  FailureOr<SmallVector<Traced>> build();

private:
  using Results = FailureOr<SmallVector<Traced>>;

  /// The number of steps where it is known and nothing ends them sooner.
  std::optional<int64_t> knownLimit() const;
  /// A graph.while as it comes about: what it carries is the step, whether to
  /// go on, the variables, and room for what steps collect.
  struct Loop {
    SmallVector<Value> inits, yielded;
    SmallVector<Type> types;
    SmallVector<Location> places;
    Region condition, body;
  };
  /// Nothing where the steps must be unrolled, with `why` set.
  FailureOr<std::optional<SmallVector<Traced>>> tryWhile();
  /// Adds room for `parts`, which a step gives, to what the loop carries; their
  /// numbers go to `sizes`: that of all steps, or what the model promises.
  LogicalResult collect(Loop &loop, ArrayRef<Traced> parts,
                        std::optional<int64_t> all, Integers &sizes);
  void buildCondition(Loop &loop);
  /// What a loop with these results gives; it checks what was promised.
  Results resultsOf(ArrayRef<Value> values, bool isPromised,
                    ArrayRef<int64_t> sizes);
  Results unroll();
  /// The results where all that steps begin with is known, and so is all that
  /// they give: how often they run is then known too, whatever the model says.
  /// Nothing, and no op, where some of it is not.
  FailureOr<std::optional<SmallVector<Traced>>> tryNow();
  /// What no step has given.
  Results collectedOfNone();
  Expr runs(Expr step, Expr goesOn) const {
    return steps.limit ? both(less(step, steps.limit), goesOn) : goesOn;
  }

  Node &node;
  const Steps &steps;
  std::string why;
  std::vector<Tracer::Refusal> refusals;
};

std::optional<int64_t> StepsBuilder::knownLimit() const {
  auto limit = steps.limit ? knownNumber(steps.limit.value) : std::nullopt;
  return limit ? std::optional(std::max<int64_t>(*limit, 0)) : std::nullopt;
}

FailureOr<std::optional<SmallVector<Traced>>> StepsBuilder::tryWhile() {
  OpBuilder &builder = node.tracer.builder;
  Location at = node.b.getLoc();
  std::optional<SmallVector<Traced>> none;
  Loop loop;
  loop.inits = {number(node, 0).value, steps.goesOn.value};
  for (const Traced &variable : steps.variables)
    if (!flatten(variable, loop.inits)) {
      why = "a variable that is no tensor";
      return none;
    }
  llvm::append_range(loop.types, ValueRange(loop.inits).getTypes());
  loop.places.assign(loop.types.size(), at);
  size_t before = node.tracer.refusals();
  Status status = node.tracer.report.status;
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&loop.body, {}, loop.types, loop.places);
  ImplicitLocOpBuilder inner(at, builder);
  SmallVector<Value> arguments(block->getArguments().drop_front(2));
  ArrayRef<Value> rest = arguments;
  SmallVector<Traced> variables;
  for (const Traced &variable : steps.variables)
    variables.push_back(rebuild(variable, rest));
  Results next = steps.body({inner, block->getArgument(0)},
                            {inner, block->getArgument(1)}, variables);
  if (failed(next)) {
    if (node.tracer.report.status != status)
      return failure();
    // Steps one by one know more than a loop's body does.
    refusals = node.tracer.forget(before);
    return none;
  }
  inner.setInsertionPointToEnd(block);
  Value goesOn = (*next)[0].value;
  ArrayRef<Traced> given = ArrayRef(*next).drop_front();
  Expr nextStep = Expr(inner, block->getArgument(0)) + 1;
  loop.yielded = {nextStep.value, goesOn};
  for (const Traced &variable : given.take_front(steps.variables.size()))
    if (!flatten(variable, loop.yielded)) {
      why = "a variable that is no tensor";
      return none;
    }
  if (TypeRange(ValueRange(loop.yielded)) != TypeRange(loop.types)) {
    why = "variables that change their types";
    return none;
  }
  // A condition that is handed on never ends the loop.
  bool goesOnAlways =
      knownTruth(steps.goesOn.value) == true &&
      (goesOn == block->getArgument(1) || knownTruth(goesOn) == true);
  if (goesOnAlways && !steps.limit)
    return node.error() << "its condition holds for ever";
  std::optional<int64_t> steady = goesOnAlways ? knownLimit() : std::nullopt;
  Integers sizes;
  if (failed(collect(loop, given.drop_front(steps.variables.size()), steady,
                     sizes)))
    return failure();
  buildCondition(loop);
  ImplicitLocOpBuilder outside(at, node.b);
  OperationState state(at, graph::WhileOp::getOperationName());
  state.addOperands(loop.inits);
  state.addTypes(loop.types);
  state.addRegion()->takeBody(loop.condition);
  state.addRegion()->takeBody(loop.body);
  SmallVector<Value> values(outside.create(state)->getResults());
  Results results = resultsOf(values, !steady, sizes);
  if (failed(results))
    return failure();
  return std::optional(std::move(*results));
}

/// A builder at the end of a block whose region may be no op's yet, and then
/// has no context of its own.
static ImplicitLocOpBuilder atEnd(Location at, Block *block) {
  ImplicitLocOpBuilder b(at, at.getContext());
  b.setInsertionPointToEnd(block);
  return b;
}

LogicalResult StepsBuilder::collect(Loop &loop, ArrayRef<Traced> parts,
                                    std::optional<int64_t> all,
                                    Integers &sizes) {
  Block *block = &loop.body.front();
  Location at = node.b.getLoc();
  ImplicitLocOpBuilder outside(at, node.b);
  ImplicitLocOpBuilder inner = atEnd(at, block);
  for (unsigned i = 0; i < steps.collected; ++i) {
    Value part = parts[i].value;
    if (!part)
      return node.unsupported("collects what is no tensor");
    int64_t size = all.value_or(0);
    if (!all) {
      FailureOr<Integers> promised =
          promisedShape(node, steps.firstCollected + i, "how often it runs");
      if (failed(promised))
        return failure();
      if (promised->empty())
        return node.error() << "collects a scalar";
      size = promised->front();
    }
    sizes.push_back(size);
    RankedTensorType type = typeOf(part);
    SmallVector<int64_t> shape(type.getShape());
    // Room for a step that does not run keeps the body's op well formed.
    shape.insert(shape.begin(), std::max<int64_t>(size, 1));
    if (!byteSize(shape, elementBytes(type.getElementType())))
      return node.error() << "collects more than a tensor may hold";
    loop.inits.push_back(splat(outside, type.clone(shape), 0));
    loop.types.push_back(loop.inits.back().getType());
    loop.places.push_back(at);
    Value buffer = block->addArgument(loop.types.back(), at);
    shape[0] = 1;
    SmallVector<Value> starts(shape.size(), loop.inits.front());
    starts[0] = block->getArgument(0);
    loop.yielded.push_back(make<graph::DynamicUpdateSliceOp>(
        inner, buffer, reshapeTo(inner, part, shape), starts));
  }
  inner.create<graph::YieldOp>(loop.yielded);
  return success();
}

void StepsBuilder::buildCondition(Loop &loop) {
  OpBuilder::InsertionGuard guard(node.tracer.builder);
  Block *head = node.tracer.builder.createBlock(&loop.condition, {}, loop.types,
                                                loop.places);
  ImplicitLocOpBuilder inner = atEnd(node.b.getLoc(), head);
  Expr step(inner, head->getArgument(0)), goesOn(inner, head->getArgument(1));
  if (steps.limit)
    goesOn = both(less(step, Expr(inner, steps.limit.value)), goesOn);
  inner.create<graph::YieldOp>(goesOn.value);
}

FailureOr<SmallVector<Traced>>
StepsBuilder::resultsOf(ArrayRef<Value> values, bool isPromised,
                        ArrayRef<int64_t> sizes) {
  SmallVector<Traced> results;
  ArrayRef<Value> rest = values.drop_front(2);
  for (const Traced &variable : steps.variables)
    results.push_back(rebuild(variable, rest));
  for (auto [value, size] : llvm::zip_equal(rest, sizes)) {
    Expr all(node.b, value);
    if (isPromised &&
        failed(check(node, equal(Expr(node.b, values[0]), number(node, size)),
                     "runs another number of times than the model says")))
      return failure();
    if (size == 0)
      all = slice(all, 0, 0, 0);
    results.push_back({all.value, {}, nullptr});
  }
  return results;
}

FailureOr<SmallVector<Traced>> StepsBuilder::unroll() {
  auto giveUp = [&](const Twine &reason) -> LogicalResult {
    if (refusals.empty())
      return node.unsupported("has " + why + reason);
    node.tracer.remember(refusals);
    return failure();
  };
  Unrolled unrolled(steps);
  for (int64_t step = 0;; ++step) {
    std::optional<bool> known =
        knownTruth(runs(number(node, step), unrolled.goesOn).value);
    if (!known)
      return giveUp(", and how often it runs is not known at compile time");
    if (!*known)
      break;
    if (step >= stepLimit)
      return giveUp(", and it runs more than " + Twine(stepLimit) + " times");
    Results next =
        steps.body(number(node, step), unrolled.goesOn, unrolled.variables);
    if (failed(next))
      return failure();
    if (StringRef reason = unrolled.take(node, *next); !reason.empty())
      return node.unsupported(reason);
  }
  std::optional<SmallVector<Traced>> results = unrolled.results();
  return results ? Results(std::move(*results)) : collectedOfNone();
}

static bool isKnown(const Traced &traced) {
  return traced.value && !traced.imaginary && !traced.object &&
         matchPattern(traced.value, m_Constant());
}

FailureOr<std::optional<SmallVector<Traced>>> StepsBuilder::tryNow() {
  std::optional<SmallVector<Traced>> none;
  if (!steps.collected || steps.variables.empty() ||
      !llvm::all_of(steps.variables, isKnown))
    return none;
  Block *block = node.tracer.builder.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  size_t refused = node.tracer.refusals();
  Status status = node.tracer.report.status;
  auto giveUp = [&] {
    (void)node.tracer.forget(refused);
    while (!block->empty() && &block->back() != last)
      block->back().erase();
    return none;
  };
  Unrolled unrolled(steps);
  for (int64_t step = 0;; ++step) {
    std::optional<bool> known =
        knownTruth(runs(number(node, step), unrolled.goesOn).value);
    if (!known || step >= stepLimit)
      return giveUp();
    if (!*known)
      break;
    Results next =
        steps.body(number(node, step), unrolled.goesOn, unrolled.variables);
    if (failed(next) && node.tracer.report.status != status)
      return failure();
    if (failed(next) || !llvm::all_of(*next, isKnown) ||
        !unrolled.take(node, *next).empty())
      return giveUp();
  }
  std::optional<SmallVector<Traced>> results = unrolled.results();
  return results ? results : giveUp();
}

FailureOr<SmallVector<Traced>> StepsBuilder::collectedOfNone() {
  SmallVector<Traced> results = steps.variables;
  for (unsigned i = 0; i < steps.collected; ++i) {
    RankedTensorType type = node.declared(steps.firstCollected + i);
    if (!type)
      return node.unsupported("a loop that never runs, and the model does not "
                              "say what it gives");
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &size : shape)
      size = ShapedType::isDynamic(size) ? 0 : size;
    if (!shape.empty())
      shape[0] = 0;
    results.push_back({splat(node.b, type.clone(shape), 0), {}, nullptr});
  }
  return results;
}

FailureOr<SmallVector<Traced>> StepsBuilder::build() {
  if (knownTruth(runs(number(node, 0), steps.goesOn).value) == false)
    return collectedOfNone();
  FailureOr<std::optional<SmallVector<Traced>>> results = tryNow();
  if (succeeded(results) && !*results)
    results = tryWhile();
  if (failed(results))
    return failure();
  if (*results)
    return **results;
  return unroll();
}

} // namespace

FailureOr<SmallVector<Traced>> buildSteps(Node &node, const Steps &steps) {
  return StepsBuilder(node, steps).build();
}

} // namespace weir::onnx
