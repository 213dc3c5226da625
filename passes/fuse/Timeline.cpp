// Computes lifetimes of the values of a block, and of recomputed copies.

#include "passes/fuse/Timeline.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/state/State.h"
#include "dialects/plan/Arena.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::fuse {
namespace {

/// Whether the result is a view of the operand's memory.
bool isView(Operation *op) {
  if (isa<graph::ReshapeOp>(op))
    return true;
  auto slice = dyn_cast<graph::SliceOp>(op);
  return slice && graph::contiguousStart(slice.getX().getType().getShape(),
                                         slice.getStarts(), slice.getLimits(),
                                         slice.getStrides())
                      .has_value();
}

int64_t arenaBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  return llvm::alignTo(type.getNumElements() * ((bits + 7) / 8),
                       plan::alignment);
}

/// Whether the op may be cloned in the block.
bool isRecomputable(Operation *op) {
  return isa<graph::GroupOp, graph::ConcatOp>(op);
}

/// Whether an op only consists of loops that read each element a few times.
bool isCheap(Operation *op) {
  auto group = dyn_cast<graph::GroupOp>(op);
  if (!group)
    return isRecomputable(op);
  return llvm::none_of(group.getBody().front(), [](Operation &member) {
    auto fusible = dyn_cast<graph::FusionOpInterface>(member);
    if (!fusible)
      return false;
    graph::FusionRole role = fusible.fusionRole();
    return role == graph::FusionRole::contraction ||
           role == graph::FusionRole::opaque;
  });
}

} // namespace

Timeline::Timeline(Block &block) {
  for (Operation &op : block)
    addOp(&op);
  // Returned values are in the caller's memory.
  for (Value value : operands.back())
    bytes[rootOf(value)] = 0;
}

void Timeline::addOp(Operation *op) {
  size_t position = ops.size();
  positions[op] = position;
  ops.push_back(op);
  operands.emplace_back(op->operand_begin(), op->operand_end());
  int64_t nested = 0;
  if (!isa<graph::GroupOp>(op))
    op->walk([&](Operation *inner) {
      if (inner == op || isa<graph::GroupOp>(inner->getParentOp()))
        return;
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == op->getBlock())
          operands.back().push_back(operand);
      if (isa<graph::GroupOp, graph::ConcatOp>(inner))
        for (Value result : inner->getResults())
          nested += arenaBytes(result);
    });
  inside.push_back(nested);
  for (Value operand : operands.back())
    lastUses[rootOf(operand)] = position;
  if (isView(op)) {
    roots[op->getResult(0)] = rootOf(op->getOperand(0));
    return;
  }
  bool isOutside = isa<graph::ConstantOp, graph::ReadVariableOp>(op);
  for (Value result : op->getResults())
    bytes[result] = isOutside ? 0 : arenaBytes(result);
}

std::optional<size_t> Timeline::makerOf(Value value) const {
  auto found = positions.find(value.getDefiningOp());
  if (found == positions.end())
    return std::nullopt;
  return found->second;
}

int64_t Timeline::growthBy(size_t op) const {
  int64_t growth = 0;
  for (Value result : ops[op]->getResults())
    growth += bytes.lookup(result);
  DenseSet<Value> freed;
  for (Value operand : operands[op]) {
    Value root = rootOf(operand);
    if (lastUses.lookup(root) == op && freed.insert(root).second)
      growth -= bytes.lookup(root);
  }
  return growth;
}

Timeline::Steps Timeline::steps() const {
  Steps all;
  for (size_t i = 0; i < ops.size(); ++i)
    all.push_back({i});
  return all;
}

Timeline::Steps Timeline::recomputed(const DenseSet<Value> &dropped,
                                     size_t at) const {
  auto isGone = [&](Value value) {
    Value root = rootOf(value);
    std::optional<size_t> maker = makerOf(root);
    if (!maker || *maker >= at || bytes.lookup(root) == 0 ||
        !isRecomputable(ops[*maker]))
      return false;
    return dropped.contains(root) || lastUses.lookup(root) <= at;
  };
  Steps all;
  DenseSet<size_t> copied;
  // Clones the ops that an op needs, each after its own operands.
  auto copyFor = [&](size_t user) {
    SmallVector<std::pair<size_t, unsigned>> work{{user, 0}};
    while (!work.empty()) {
      auto &[op, next] = work.back();
      if (next == operands[op].size()) {
        if (op != user) {
          all.push_back({op, /*isCopy=*/true});
          copied.insert(op);
        }
        work.pop_back();
        continue;
      }
      Value operand = operands[op][next++];
      std::optional<size_t> maker = makerOf(operand);
      if (maker && isGone(operand) && !copied.contains(*maker))
        work.push_back({*maker, 0});
    }
  };
  for (size_t i = 0; i < ops.size(); ++i) {
    // A view is cloned at its use.
    if (i > at && !isView(ops[i]))
      copyFor(i);
    all.push_back({i});
  }
  return all;
}

Peak Timeline::peak(ArrayRef<Step> steps) const {
  // of originals and of clones
  DenseMap<Value, std::pair<size_t, size_t>> lives[2];
  DenseSet<Value> copied;
  for (auto [now, step] : llvm::enumerate(steps)) {
    Operation *op = ops[step.op];
    if (step.isCopy)
      copied.insert(op->result_begin(), op->result_end());
    // A view by itself keeps nothing live.
    if (isView(op))
      continue;
    for (Value operand : operands[step.op]) {
      Value root = rootOf(operand);
      auto found = lives[copied.contains(root)].find(root);
      if (found != lives[copied.contains(root)].end())
        found->second.second = now;
    }
    for (Value result : op->getResults())
      lives[step.isCopy].try_emplace(result, now, now);
  }
  SmallVector<int64_t> change(steps.size() + 1, 0);
  for (const auto &each : lives)
    for (const auto &[value, life] : each) {
      change[life.first] += bytes.lookup(value);
      change[life.second + 1] -= bytes.lookup(value);
    }
  Peak most;
  int64_t live = 0;
  for (auto [now, step] : llvm::enumerate(steps)) {
    live += change[now];
    int64_t all = live + (step.isCopy ? 0 : inside[step.op]);
    if (all > most.bytes)
      most = {all, step.op};
  }
  return most;
}

void Timeline::across(size_t at, SmallVectorImpl<Value> &cheap,
                      SmallVectorImpl<Value> &others) const {
  DenseSet<Value> cheaply;
  for (size_t i = 0; i < at; ++i) {
    Operation *op = ops[i];
    if (!isRecomputable(op))
      continue;
    bool is = isCheap(op) && llvm::all_of(operands[i], [&](Value operand) {
                Value root = rootOf(operand);
                return bytes.lookup(root) == 0 || lastUses.lookup(root) > at ||
                       cheaply.contains(root);
              });
    for (Value result : op->getResults()) {
      if (is)
        cheaply.insert(result);
      if (bytes.lookup(result) != 0 && lastUses.lookup(result) > at)
        (is ? cheap : others).push_back(result);
    }
  }
}

void Timeline::apply(ArrayRef<Step> steps, int64_t &made) {
  IRMapping map;
  SmallVector<Operation *> copies;
  for (const Step &step : steps) {
    Operation *op = ops[step.op];
    if (step.isCopy) {
      copies.push_back(op);
      continue;
    }
    OpBuilder b(op);
    for (Operation *copy : copies) {
      Operation *again = b.clone(*copy, map);
      if (isRecomputable(again))
        attrs::again.set(again, made++);
    }
    copies.clear();
    if (isView(op))
      continue;
    op->walk([&](Operation *inner) {
      if (inner == op || !isa<graph::GroupOp>(op))
        for (OpOperand &operand : inner->getOpOperands())
          operand.set(map.lookupOrDefault(operand.get()));
    });
  }
  for (Operation *op : llvm::reverse(ops))
    if (isView(op) && op->use_empty())
      op->erase();
}

} // namespace weir::fuse
