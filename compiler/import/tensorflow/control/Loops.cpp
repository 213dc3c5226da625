// Loops over what edges carry.

#include "compiler/import/tensorflow/control/Loops.h"

#include "compiler/import/Build.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/loops/Unrolling.h"
#include "compiler/import/loops/WhileParts.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/control/Control.h"
#include "compiler/import/tensorflow/control/List.h"
#include "compiler/import/tensorflow/control/LoopVariables.h"

using namespace mlir;

namespace weir::tensorflow {

namespace {

class LoopBuilder {
public:
  LoopBuilder(Node &node, Loop &loop)
      : node(node), loop(loop), variables(node, loop.inits), unrolling(node) {}

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
  Unrolling unrolling;
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
  WhileParts parts(node.b.getLoc(), inits);
  OpBuilder &builder = node.tracer.builder;
  unrolling.attempt();
  auto refused = [&] {
    if (unrolling.isError())
      return Outcome::failed;
    unrolling.setAside();
    return Outcome::unroll;
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = parts.begin(parts.condition, builder);
    FailureOr<Value> condition = traceCondition(variables.bind(block));
    if (failed(condition))
      return refused();
    if (knownBoolean(*condition) == true) {
      node.error() << "its condition holds for ever";
      return Outcome::failed;
    }
    parts.end(parts.condition, *condition);
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = parts.begin(parts.body, builder);
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
      auto settled = variables.settled(i, value, parts.body);
      if (unrolling.isError())
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
  parts.end(parts.body, yielded);
  builder.setInsertionPointToEnd(node.b.getInsertionBlock());
  SmallVector<Value> values = parts.create(builder);
  ArrayRef<Value> rest = values;
  for (size_t i = 0; i < begins.size(); ++i)
    results.push_back(variables.rebuildCarried(i, rest));
  return Outcome::done;
}

FailureOr<std::optional<SmallVector<Traced>>> LoopBuilder::unroll() {
  SmallVector<Traced> values = variables.inits;
  size_t refusalsBefore = node.tracer.refusals();
  bool isRefused = false;
  auto end =
      traceSteps([&](int64_t) { return traceCondition(values); },
                 [&](int64_t) -> LogicalResult {
                   FailureOr<SmallVector<Traced>> next = loop.body(values);
                   if (failed(next)) {
                     isRefused = node.tracer.refusals() > refusalsBefore;
                     return failure();
                   }
                   if (next->size() != values.size())
                     return node.error()
                            << "its body gives " << next->size()
                            << " results for " << values.size() << " variables";
                   for (auto [i, value] : llvm::enumerate(*next))
                     if (!loop.invariant[i])
                       values[i] = value;
                   return success();
                 });
  if (failed(end) && !isRefused)
    return failure();
  if (succeeded(end) && *end == StepsEnd::byCondition)
    return std::optional(values);
  if (succeeded(end) && *end == StepsEnd::unknown && !unrolling.hasRefusals() &&
      variables.canWiden())
    return std::optional<SmallVector<Traced>>();
  // Where the steps do not help, the body's own reasons are the better ones.
  node.tracer.forget(refusalsBefore);
  return failed(end) ? unrolling.refuse(variables.why)
                     : unrolling.refuse(variables.why, *end);
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
