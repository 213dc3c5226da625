// Loops as graph.while, or unrolled.

#include "compiler/import/onnx/control/Loops.h"

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/control/Control.h"
#include "compiler/import/onnx/control/StepsBuilder.h"
#include "compiler/import/onnx/control/Unrolled.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::onnx {

static Traced withoutSizes(Traced variable) {
  if (variable.value)
    variable.extents.clear();
  return variable;
}

Traced StepsBuilder::Starts::rebuilt(const Traced &variable,
                                     ArrayRef<Value> &values) const {
  if (!keepSizes)
    return rebuild(variable, values);
  Traced result = rebuild(withoutSizes(variable), values);
  if (variable.value)
    result.extents = variable.extents;
  return result;
}

std::optional<int64_t> StepsBuilder::knownLimit() const {
  auto limit = steps.limit ? knownNumber(steps.limit.value) : std::nullopt;
  return limit ? std::optional(std::max<int64_t>(*limit, 0)) : std::nullopt;
}

FailureOr<std::optional<SmallVector<Traced>>>
StepsBuilder::tryWhile(Starts &starts, bool &again) {
  OpBuilder &builder = node.tracer.builder;
  Location at = node.b.getLoc();
  std::optional<SmallVector<Traced>> none;
  Loop loop;
  loop.inits = {number(node, 0).value, steps.goesOn.value};
  for (const Traced &variable : starts.variables)
    if (!flatten(starts.keepSizes ? withoutSizes(variable) : variable,
                 loop.inits)) {
      why = "a variable that is no tensor";
      return none;
    }
  llvm::append_range(loop.types, ValueRange(loop.inits).getTypes());
  loop.positions.assign(loop.types.size(), at);
  size_t before = node.tracer.refusals();
  Status status = node.tracer.report.status;
  OpBuilder::InsertionGuard guard(builder);
  Block *block =
      builder.createBlock(&loop.body, {}, loop.types, loop.positions);
  ImplicitLocOpBuilder inner(at, builder);
  SmallVector<Value> arguments(block->getArguments().drop_front(2));
  ArrayRef<Value> rest = arguments;
  SmallVector<Traced> variables;
  for (const Traced &variable : starts.variables)
    variables.push_back(starts.rebuilt(variable, rest));
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
  if (!yieldVariables(loop, given.take_front(steps.variables.size()), starts,
                      again))
    return none;
  // A condition that is handed on never ends the loop.
  bool goesOnAlways =
      knownBoolean(steps.goesOn.value) == true &&
      (goesOn == block->getArgument(1) || knownBoolean(goesOn) == true);
  if (goesOnAlways && !steps.limit)
    return node.error() << "its condition holds for ever";
  std::optional<int64_t> steady = goesOnAlways ? knownLimit() : std::nullopt;
  SmallVector<Collected> collected;
  if (failed(collect(loop, given.drop_front(steps.variables.size()), steady,
                     collected)))
    return failure();
  buildCondition(loop);
  ImplicitLocOpBuilder outside(at, node.b);
  OperationState state(at, graph::WhileOp::getOperationName());
  state.addOperands(loop.inits);
  state.addTypes(loop.types);
  state.addRegion()->takeBody(loop.condition);
  state.addRegion()->takeBody(loop.body);
  SmallVector<Value> values(outside.create(state)->getResults());
  Results results = resultsOf(values, starts, steady.has_value(), collected);
  if (failed(results))
    return failure();
  return std::optional(std::move(*results));
}

ImplicitLocOpBuilder atEnd(Location at, Block *block) {
  ImplicitLocOpBuilder b(at, at.getContext());
  b.setInsertionPointToEnd(block);
  return b;
}

bool StepsBuilder::yieldVariables(Loop &loop, ArrayRef<Traced> next,
                                  Starts &starts, bool &again) {
  ImplicitLocOpBuilder inner = atEnd(node.b.getLoc(), &loop.body.front());
  bool isKept = true, isJoined = true, isDynamic = false;
  SmallVector<std::optional<SmallVector<Room>>> joined;
  for (auto [first, then] : llvm::zip_equal(starts.variables, next)) {
    SmallVector<Value> values;
    if (!flatten(then, values)) {
      why = "a variable that is no tensor";
      return false;
    }
    joined.push_back(first.value && !first.imaginary ? joinSizes(first, then)
                                                     : std::nullopt);
    isJoined &= joined.back() || !first.value || first.imaginary;
    isDynamic |= first.isBounded() || then.isBounded();
    isKept &= joined.back() ? sizesOf(first) == sizesOf(then)
                            : !first.isBounded() && !then.isBounded();
  }
  if (starts.keepSizes && isKept) {
    for (const Traced &variable : next)
      flatten(withoutSizes(variable), loop.yielded);
  } else if (isJoined && (isDynamic || !knownLimit())) {
    // The loop begins with room for what it comes to.
    for (auto [first, then, rooms] :
         llvm::zip_equal(starts.variables, next, joined)) {
      bool isRoomy = !rooms;
      if (rooms) {
        Sizes sizes = sizesOf(first);
        isRoomy = !starts.keepSizes &&
                  llvm::all_of(llvm::zip_equal(sizes, *rooms), [](auto both) {
                    auto &[size, room] = both;
                    return size.bound == room.bound &&
                           size.isKnown() == !room.isDynamic;
                  });
        flatten(fitTo(inner, node, then, *rooms), loop.yielded);
      } else {
        flatten(then, loop.yielded);
      }
      again |= !isRoomy;
    }
    if (again) {
      for (auto [first, rooms] : llvm::zip_equal(starts.variables, joined))
        if (rooms)
          first = fitTo(node.b, node, first, *rooms);
      starts.keepSizes = false;
      why = "variables that grow in each step";
      return false;
    }
  } else {
    for (const Traced &variable : next)
      flatten(variable, loop.yielded);
  }
  if (TypeRange(ValueRange(loop.yielded)) != TypeRange(loop.types)) {
    why = "variables that change their types";
    return false;
  }
  return true;
}

void StepsBuilder::buildCondition(Loop &loop) {
  OpBuilder::InsertionGuard guard(node.tracer.builder);
  Block *head = node.tracer.builder.createBlock(&loop.condition, {}, loop.types,
                                                loop.positions);
  ImplicitLocOpBuilder inner = atEnd(node.b.getLoc(), head);
  Expr step(inner, head->getArgument(0)), goesOn(inner, head->getArgument(1));
  if (steps.limit)
    goesOn = both(less(step, Expr(inner, steps.limit.value)), goesOn);
  inner.create<graph::YieldOp>(goesOn.value);
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
        knownBoolean(runs(number(node, step), unrolled.goesOn).value);
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
  auto results = unrolled.results(node);
  if (failed(results))
    return failure();
  return *results ? Results(std::move(**results)) : collectedOfNone();
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
        knownBoolean(runs(number(node, step), unrolled.goesOn).value);
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
  auto results = unrolled.results(node);
  if (failed(results))
    return failure();
  return *results ? *results : giveUp();
}

FailureOr<SmallVector<Traced>> StepsBuilder::build() {
  if (knownBoolean(runs(number(node, 0), steps.goesOn).value) == false)
    return collectedOfNone();
  FailureOr<std::optional<SmallVector<Traced>>> results = tryNow();
  Starts starts{steps.variables};
  constexpr int maxTries = 4;
  bool again = true;
  for (int i = 0; i < maxTries && again && succeeded(results) && !*results;
       ++i) {
    again = false;
    results = tryWhile(starts, again);
  }
  if (failed(results))
    return failure();
  if (*results)
    return **results;
  return unroll();
}

FailureOr<SmallVector<Traced>> buildSteps(Node &node, const Steps &steps) {
  return StepsBuilder(node, steps).build();
}

} // namespace weir::onnx
