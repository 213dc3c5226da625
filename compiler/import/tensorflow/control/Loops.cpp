// Loops over what edges carry.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/control/Control.h"

#include "dialects/graph/Graph.h"
#include <cmath>

using namespace mlir;

namespace weir::tensorflow {

/// Steps that are traced one after the other at most: each makes its own ops.
constexpr unsigned stepLimit = 1024;

/// How often the place of a loop's variable grows with what the body makes of
/// it, before it gets what a tensor has that nothing bounds.
constexpr unsigned growthLimit = 1;

namespace {

class LoopBuilder {
public:
  LoopBuilder(Node &node, Loop &loop) : node(node), loop(loop) {}

  FailureOr<SmallVector<Traced>> build();

private:
  enum class Outcome { done, again, unroll, failed };

  /// Whether the loop runs at all, where that is known.
  FailureOr<std::optional<bool>> firstCondition();
  Outcome tryWhile(SmallVector<Traced> &results);
  /// The steps one after the other; nothing where their number is not known.
  FailureOr<std::optional<SmallVector<Traced>>> unroll();
  /// The next value of a variable as the tensors that the loop carries; nothing
  /// where it does not fit, with `wider` then set where open sizes would do.
  std::optional<SmallVector<Value>> carry(size_t i, const Traced &next);
  /// Opens the sizes of variables that did not fit.
  void widen();
  /// Values for all variables: the block's arguments for those that the loop
  /// carries, the first value for the others.
  SmallVector<Traced> bind(Block *block);
  FailureOr<Value> traceCondition(ArrayRef<Traced> values);

  Node &node;
  Loop &loop;
  /// What the loop carries, as tensors; empty for variables that it does not.
  SmallVector<SmallVector<Value>> carried;
  /// The room that a variable should begin with, and how often that was so.
  SmallVector<std::optional<SmallVector<Room>>> wider;
  SmallVector<unsigned> growths;
  std::string why;
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
  return truth(node, result->front());
}

FailureOr<std::optional<bool>> LoopBuilder::firstCondition() {
  Region scratch;
  OpBuilder &builder = node.tracer.builder;
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&scratch);
  FailureOr<Value> condition = traceCondition(loop.inits);
  if (failed(condition))
    return failure();
  return knownTruth(*condition);
}

SmallVector<Traced> LoopBuilder::bind(Block *block) {
  SmallVector<Traced> values;
  unsigned next = 0;
  for (auto [init, tensors] : llvm::zip(loop.inits, carried)) {
    SmallVector<Value> arguments;
    for (size_t i = 0; i < tensors.size(); ++i)
      arguments.push_back(block->getArgument(next++));
    ArrayRef<Value> rest = arguments;
    values.push_back(tensors.empty() ? init : rebuild(init, rest));
  }
  return values;
}

std::optional<SmallVector<Value>> LoopBuilder::carry(size_t i,
                                                     const Traced &next) {
  const Traced &init = loop.inits[i];
  SmallVector<Value> tensors;
  bool isOpen = init.isBounded() || next.isBounded();
  if (!isOpen && flatten(next, tensors) &&
      TypeRange(tensors) == TypeRange(ValueRange(carried[i])))
    return tensors;
  if (auto joined = joinSizes(init, next)) {
    SmallVector<Room> rooms;
    bool opens = false, grows = false;
    for (auto [before, after] : llvm::zip_equal(sizesOf(init), *joined)) {
      rooms.push_back({before.bound, !before.isKnown()});
      opens |= before.isKnown() && after.isOpen;
      grows |= before.bound < after.bound;
    }
    if (!opens && (!grows || growths[i] > growthLimit)) {
      ImplicitLocOpBuilder b(node.b.getLoc(), node.tracer.builder);
      flatten(fitTo(b, node, next, rooms), tensors);
      return tensors;
    }
    wider[i] = joined;
  }
  llvm::raw_string_ostream os(why = "");
  os << "variable " << i << " changes its type from "
     << carried[i].front().getType() << " to "
     << (next.value ? next.value.getType() : Type());
  return std::nullopt;
}

void LoopBuilder::widen() {
  ImplicitLocOpBuilder outside(node.b.getLoc(), node.b);
  for (auto [i, rooms] : llvm::enumerate(wider)) {
    if (!rooms)
      continue;
    if (++growths[i] > growthLimit) {
      int64_t known = 1, open = 0;
      for (const Room &room : *rooms) {
        known *= room.isOpen ? 1 : std::max<int64_t>(room.bound, 1);
        open += room.isOpen;
      }
      double left = static_cast<double>(node.tracer.boundedElements) / known;
      auto share = static_cast<int64_t>(
          std::max(std::pow(std::max(left, 1.0), 1.0 / open), 1.0));
      for (auto [room, init] : llvm::zip_equal(*rooms, sizesOf(loop.inits[i])))
        if (room.isOpen)
          room.bound = std::max(share, init.bound);
    }
    loop.inits[i] = fitTo(outside, node, loop.inits[i], *rooms);
  }
}

LoopBuilder::Outcome LoopBuilder::tryWhile(SmallVector<Traced> &results) {
  carried.assign(loop.inits.size(), {});
  wider.assign(loop.inits.size(), std::nullopt);
  growths.resize(loop.inits.size());
  SmallVector<Value> inits;
  for (auto [i, init] : llvm::enumerate(loop.inits)) {
    // What is not known well enough to be a tensor yet is bound as it is, and
    // what the body makes of it tells how it must begin.
    if (loop.invariant[i] || !flatten(init, carried[i]))
      carried[i].clear();
    inits.append(carried[i]);
  }
  Location at = node.b.getLoc();
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> places(types.size(), at);
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
    Block *block = builder.createBlock(&conditionRegion, {}, types, places);
    FailureOr<Value> condition = traceCondition(bind(block));
    if (failed(condition))
      return refused();
    if (knownTruth(*condition) == true) {
      node.error() << "its condition holds for ever";
      return Outcome::failed;
    }
    builder.create<graph::YieldOp>(at, *condition);
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&bodyRegion, {}, types, places);
  FailureOr<SmallVector<Traced>> next = loop.body(bind(block));
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
    Traced &init = loop.inits[i];
    if (carried[i].empty()) {
      if (value.object == init.object && !value.value)
        continue;
      ImplicitLocOpBuilder outside(at, node.b);
      auto settled = init.object && value.object
                         ? init.object->settle(outside, *value.object)
                         : nullptr;
      if (!settled) {
        why = "variable " + std::to_string(i) + " is no tensor";
        return Outcome::unroll;
      }
      init.object = settled;
      again = true;
      continue;
    }
    if (std::optional<SmallVector<Value>> tensors = carry(i, value))
      yielded.append(*tensors);
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
  for (auto [init, tensors] : llvm::zip(loop.inits, carried))
    results.push_back(tensors.empty() ? init : rebuild(init, rest));
  return Outcome::done;
}

FailureOr<std::optional<SmallVector<Traced>>> LoopBuilder::unroll() {
  SmallVector<Traced> values = loop.inits;
  size_t refusalsBefore = node.tracer.refusals();
  // Where the steps do not help, the body's own reasons are the better ones.
  auto giveUp = [&](const Twine &reason) -> LogicalResult {
    node.tracer.forget(refusalsBefore);
    if (refusals.empty())
      return node.unsupported(why + reason);
    node.tracer.remember(refusals);
    return failure();
  };
  for (unsigned step = 0;; ++step) {
    FailureOr<Value> condition = traceCondition(values);
    if (failed(condition))
      return failure();
    std::optional<bool> known = knownTruth(*condition);
    bool canWiden =
        refusals.empty() && llvm::any_of(wider, [](const auto &rooms) {
          return rooms.has_value();
        });
    if (!known && canWiden)
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
  for (size_t round = 0; round <= 3 * loop.inits.size() + 1; ++round) {
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
      widen();
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
