// Loops over what edges carry.

#include "compiler/import/tensorflow/control/Loops.h"

#include "compiler/import/Build.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/control/Control.h"
#include "compiler/import/tensorflow/control/List.h"
#include "compiler/import/tensorflow/control/LoopVariables.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {

/// Steps that are traced one after the other at most: each makes its own ops.
constexpr unsigned stepLimit = 1024;

namespace {

class LoopBuilder {
public:
  LoopBuilder(Node &node, Loop &loop)
      : node(node), loop(loop), variables(node, loop.inits) {}

  FailureOr<SmallVector<Traced>> build();

private:
  enum class Outcome { done, again, unroll, failed };

  /// Whether the loop runs at all, where that is known.
  FailureOr<std::optional<bool>> firstCondition();
  Outcome tryWhile(SmallVector<Traced> &results);
  /// The steps one after the other; nothing where their number is not known.
  FailureOr<std::optional<SmallVector<Traced>>> unroll();
  FailureOr<Value> traceCondition(ArrayRef<Traced> values);

  Node &node;
  Loop &loop;
  LoopVariables variables;
  /// What was refused in the body as a whole.
  std::vector<Tracer::Refusal> refusals;
};

} // namespace

FailureOr<Value> LoopBuilder::traceCondition(ArrayRef<Traced> values) {
  FailureOr<SmallVector<Traced>> result = loop.condition(values);
  if (failed(result))
    return failure();
  if (result->size() != 1)
    return node.error() << "its condition gives " << result->size()
                        << " results";
  return scalarBoolean(node, result->front());
}

FailureOr<std::optional<bool>> LoopBuilder::firstCondition() {
  Region scratch;
  OpBuilder &builder = node.tracer.builder;
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&scratch);
  FailureOr<Value> condition = traceCondition(loop.inits);
  if (failed(condition))
    return failure();
  return knownBoolean(*condition);
}

LoopBuilder::Outcome LoopBuilder::tryWhile(SmallVector<Traced> &results) {
  variables.variesMore = false;
  SmallVector<Traced> &begins = variables.inits;
  SmallVector<Value> inits;
  for (size_t i = 0; i < begins.size(); ++i)
    if (!loop.invariant[i] && variables.begin(i))
      llvm::append_range(inits, variables.carriedOf(i));
  Location at = node.b.getLoc();
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> positions(types.size(), at);
  Region conditionRegion, bodyRegion;
  OpBuilder &builder = node.tracer.builder;
  size_t refusalsBefore = node.tracer.refusals();
  Status status = node.tracer.report.status;
  // Steps one by one know more than a loop's body does: what is refused here
  // may pass there.
  auto refused = [&] {
    if (node.tracer.report.status != status)
      return Outcome::failed;
    refusals = node.tracer.forget(refusalsBefore);
    return Outcome::unroll;
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&conditionRegion, {}, types, positions);
    FailureOr<Value> condition = traceCondition(variables.bind(block));
    if (failed(condition))
      return refused();
    if (knownBoolean(*condition) == true) {
      node.error() << "its condition holds for ever";
      return Outcome::failed;
    }
    builder.create<graph::YieldOp>(at, *condition);
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&bodyRegion, {}, types, positions);
  FailureOr<SmallVector<Traced>> next = loop.body(variables.bind(block));
  if (failed(next))
    return refused();
  if (next->size() != loop.inits.size()) {
    node.error() << "its body gives " << next->size() << " results for "
                 << loop.inits.size() << " variables";
    return Outcome::failed;
  }
  SmallVector<Value> yielded;
  bool again = false, changes = false;
  for (auto [i, value] : llvm::enumerate(*next)) {
    if (loop.invariant[i])
      continue;
    Traced &init = begins[i];
    if (variables.carriedOf(i).empty()) {
      if (value.object == init.object && !value.value)
        continue;
      auto settled = variables.settled(i, value, bodyRegion);
      if (node.tracer.report.status != status)
        return Outcome::failed;
      if (!settled) {
        variables.why = "variable " + std::to_string(i) + " is no tensor";
        if (listOf(value) && tensorOf(value).isBounded())
          variables.why += " of a size that is known before the loop";
        return Outcome::unroll;
      }
      init.object = settled;
      again = true;
      continue;
    }
    if (std::optional<SmallVector<Value>> tensors = variables.carry(i, value))
      yielded.append(*tensors);
    else if (std::exchange(variables.variesMore, false))
      again = true;
    else
      changes = true;
  }
  if (changes)
    return Outcome::unroll;
  if (again)
    return Outcome::again;
  builder.create<graph::YieldOp>(at, yielded);
  builder.setInsertionPointToEnd(node.b.getInsertionBlock());
  OperationState state(at, graph::WhileOp::getOperationName());
  state.addOperands(inits);
  state.addTypes(types);
  state.addRegion()->takeBody(conditionRegion);
  state.addRegion()->takeBody(bodyRegion);
  Operation *op = builder.create(state);
  SmallVector<Value> values(op->getResults());
  ArrayRef<Value> rest = values;
  for (size_t i = 0; i < begins.size(); ++i)
    results.push_back(variables.rebuildCarried(i, rest));
  return Outcome::done;
}

FailureOr<std::optional<SmallVector<Traced>>> LoopBuilder::unroll() {
  SmallVector<Traced> values = variables.inits;
  size_t refusalsBefore = node.tracer.refusals();
  // Where the steps do not help, the body's own reasons are the better ones.
  auto giveUp = [&](const Twine &reason) -> LogicalResult {
    node.tracer.forget(refusalsBefore);
    if (refusals.empty())
      return node.unsupported(variables.why + reason);
    node.tracer.remember(refusals);
    return failure();
  };
  for (unsigned step = 0;; ++step) {
    FailureOr<Value> condition = traceCondition(values);
    if (failed(condition))
      return failure();
    std::optional<bool> known = knownBoolean(*condition);
    if (!known && refusals.empty() && variables.canWiden())
      return std::optional<SmallVector<Traced>>();
    if (!known)
      return giveUp(", and how often it runs is not known at compile time");
    if (step >= stepLimit)
      return giveUp(", and it runs more than " + Twine(stepLimit) + " times");
    if (!*known)
      return std::optional(values);
    FailureOr<SmallVector<Traced>> next = loop.body(values);
    if (failed(next))
      return node.tracer.refusals() > refusalsBefore ? giveUp("") : failure();
    if (next->size() != values.size())
      return node.error() << "its body gives " << next->size()
                          << " results for " << values.size() << " variables";
    for (auto [i, value] : llvm::enumerate(*next))
      if (!loop.invariant[i])
        values[i] = value;
  }
}

FailureOr<SmallVector<Traced>> LoopBuilder::build() {
  FailureOr<std::optional<bool>> first = firstCondition();
  if (failed(first))
    return failure();
  if (*first == false)
    return loop.inits;
  // Each round settles a variable or gives it room.
  for (size_t round = 0; round <= 5 * loop.inits.size() + 4; ++round) {
    SmallVector<Traced> results;
    switch (tryWhile(results)) {
    case Outcome::done:
      return results;
    case Outcome::again:
      continue;
    case Outcome::unroll: {
      auto steps = unroll();
      if (failed(steps))
        return failure();
      if (*steps)
        return **steps;
      variables.widen();
      continue;
    }
    case Outcome::failed:
      return failure();
    }
  }
  return node.unsupported("a loop whose variables find no type");
}

FailureOr<SmallVector<Traced>> buildLoop(Node &node, Loop loop) {
  return LoopBuilder(node, loop).build();
}

} // namespace weir::tensorflow
