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
  SmallVector<Value> inits{number(node, 0).value, steps.goesOn.value};
  for (const Traced &variable : starts.variables)
    if (!flatten(starts.keepSizes ? withoutSizes(variable) : variable, inits)) {
      why = "has a variable that is no tensor";
      return none;
    }
  Loop loop(at, inits);
  unrolling.attempt();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = loop.begin(loop.body, builder);
  ImplicitLocOpBuilder inner(at, builder);
  SmallVector<Value> arguments(block->getArguments().drop_front(2));
  ArrayRef<Value> rest = arguments;
  SmallVector<Traced> variables;
  for (const Traced &variable : starts.variables)
    variables.push_back(starts.rebuilt(variable, rest));
  Results next = steps.body({inner, block->getArgument(0)},
                            {inner, block->getArgument(1)}, variables);
  if (failed(next)) {
    if (unrolling.isError())
      return failure();
    unrolling.setAside();
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
  SmallVector<Value> values = loop.create(outside);
  Results results = resultsOf(values, starts, steady.has_value(), collected);
  if (failed(results))
    return failure();
  return std::optional(std::move(*results));
}

bool StepsBuilder::yieldVariables(Loop &loop, ArrayRef<Traced> next,
                                  Starts &starts, bool &again) {
  ImplicitLocOpBuilder inner = atEnd(node.b.getLoc(), &loop.body.front());
  bool isKept = true, isJoined = true, isDynamic = false;
  SmallVector<std::optional<SmallVector<Room>>> joined;
  for (auto [first, then] : llvm::zip_equal(starts.variables, next)) {
    SmallVector<Value> values;
    if (!flatten(then, values)) {
      why = "has a variable that is no tensor";
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
      why = "has variables that grow in each step";
      return false;
    }
  } else {
    for (const Traced &variable : next)
      flatten(variable, loop.yielded);
  }
  if (TypeRange(ValueRange(loop.yielded)) != loop.types()) {
    why = "has variables that change their types";
    return false;
  }
  return true;
}

void StepsBuilder::buildCondition(Loop &loop) {
  OpBuilder::InsertionGuard guard(node.tracer.builder);
  Block *head = loop.begin(loop.condition, node.tracer.builder);
  ImplicitLocOpBuilder inner = atEnd(node.b.getLoc(), head);
  Expr step(inner, head->getArgument(0)), goesOn(inner, head->getArgument(1));
  if (steps.limit)
    goesOn = both(less(step, Expr(inner, steps.limit.value)), goesOn);
  loop.end(loop.condition, goesOn.value);
}

FailureOr<SmallVector<Traced>> StepsBuilder::unroll() {
  Unrolled unrolled(steps);
  auto end = traceSteps(
      [&](int64_t step) -> FailureOr<Value> {
        return runs(number(node, step), unrolled.goesOn).value;
      },
      [&](int64_t step) -> LogicalResult {
        Results next =
            steps.body(number(node, step), unrolled.goesOn, unrolled.variables);
        if (failed(next))
          return failure();
        StringRef reason = unrolled.take(node, *next);
        return reason.empty() ? success() : node.unsupported(reason);
      });
  if (failed(end))
    return failure();
  if (*end != StepsEnd::byCondition)
    return unrolling.refuse(why, *end);
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
  auto end = traceSteps(
      [&](int64_t step) -> FailureOr<Value> {
        return runs(number(node, step), unrolled.goesOn).value;
      },
      [&](int64_t step) {
        Results next =
            steps.body(number(node, step), unrolled.goesOn, unrolled.variables);
        bool isNow = succeeded(next) && llvm::all_of(*next, isKnown) &&
                     unrolled.take(node, *next).empty();
        return success(isNow);
      });
  if (failed(end) && node.tracer.report.status != status)
    return failure();
  if (failed(end) || *end != StepsEnd::byCondition)
    return giveUp();
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
