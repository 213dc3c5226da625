// Decides which variables are divided among ranks.

#include "passes/shard/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "passes/shard/Axes.h"
#include "passes/shard/Splitter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-divide-variables"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_DIVIDEVARIABLES
#include "passes/shard/Passes.h.inc"

namespace {

/// What a program of one rank does with variables that it has whole.
struct Trial {
  /// The ways in which ops divide each variable.
  llvm::MapVector<StringAttr, SmallVector<Sharding, 1>> wanted;
  int64_t bytes = 0; // that ranks exchange

  void add(StringAttr variable, const Sharding &sharding) {
    auto &all = wanted[variable];
    if (!isWhole(sharding) && !llvm::is_contained(all, sharding))
      all.push_back(sharding);
  }
};

/// The parts of `value` that ops take, each of another dimension.
Sharding takenFrom(MeshAttr mesh, graph::OwnPartOp part) {
  Sharding sharding = wholeOf(part.getX());
  while (part) {
    sharding[part.getAlong()] = mesh.bitsOf(part.getAxes());
    part = part->hasOneUse() ? dyn_cast<graph::OwnPartOp>(*part->user_begin())
                             : graph::OwnPartOp();
  }
  return sharding;
}

/// How the value was divided before ranks gathered it.
Sharding gatheredFrom(MeshAttr mesh, Value value) {
  Sharding sharding = wholeOf(value);
  while (auto gather = value.getDefiningOp<graph::AllGatherOp>()) {
    sharding[gather.getAlong()] = mesh.bitsOf(gather.getAxes());
    value = gather.getX();
  }
  return sharding;
}

struct DivideVariables : impl::DivideVariablesBase<DivideVariables> {
  void runOnOperation() override {
    mesh = MeshAttr::of(getOperation());
    inLoops.clear();
    if (!mesh)
      return;
    if (failed(checkGiven()))
      return signalPassFailure();
    if (failed(divideAsNeeded()))
      return signalPassFailure();
    if (StringAttr axis = attrs::shardState.of(getOperation()))
      divideState(bitOf(mesh, axis));
  }

private:
  auto variables() { return getOperation().getOps<graph::VariableOp>(); }

  LogicalResult divideAsNeeded() {
    // An axis that divides the batch never divides variables by itself.
    if (variables().empty() ||
        (mesh.getAxes().size() == 1 && mesh.sizeOf(dataAxis)))
      return success();
    // Each round may find variables that need those of the last round.
    constexpr unsigned mostRounds = 8;
    std::optional<Trial> now = tryOut();
    for (unsigned round = 0; now && round < mostRounds; ++round) {
      SmallVector<graph::VariableOp> decided = decide(*now);
      if (decided.empty())
        break;
      std::optional<Trial> next = tryOut();
      if (next && next->bytes > now->bytes) {
        for (graph::VariableOp variable : decided)
          attrs::shards.remove(variable);
        break;
      }
      now = std::move(next);
    }
    return success(now.has_value());
  }

  /// Divides each variable of the optimizer along its first dimension that is
  /// divisible.
  void divideState(int64_t axis) {
    for (graph::VariableOp variable : variables()) {
      if (!attrs::optimizerState.isOn(variable) ||
          inLoops.contains(variable.getSymNameAttr()))
        continue;
      RankedTensorType type = variable.getTensorType();
      DenseI64ArrayAttr given = attrs::shards.of(variable);
      Sharding before =
          given ? Sharding(given.asArrayRef()) : Sharding(type.getRank());
      if (llvm::any_of(before, [&](int64_t bits) { return bits & axis; }))
        continue;
      for (int64_t &bits : before) {
        bits |= axis;
        if (canDivide(mesh, type, before)) {
          attrs::shards.set(variable, ArrayRef<int64_t>(before));
          break;
        }
        bits &= ~axis;
      }
    }
  }

  /// Loops compute whole tensors, so no variable in them is divided.
  LogicalResult checkGiven() {
    WalkResult walk = getOperation().walk([&](Operation *op) {
      StringAttr name;
      if (auto read = dyn_cast<graph::ReadVariableOp>(op))
        name = read.getVariableAttr().getAttr();
      else if (auto write = dyn_cast<graph::WriteVariableOp>(op))
        name = write.getVariableAttr().getAttr();
      if (!name || isa<func::FuncOp>(op->getParentOp()))
        return WalkResult::advance();
      inLoops.insert(name);
      auto variable = cast<graph::VariableOp>(
          SymbolTable::lookupNearestSymbolFrom(op, name));
      DenseI64ArrayAttr shards = attrs::shards.of(variable);
      if (!shards || isWhole(shards.asArrayRef()))
        return WalkResult::advance();
      op->emitError("uses the variable '")
          << variable.nameInModel() << "' in a loop or a conditional, which "
          << "each rank computes whole; --shard cannot divide the variable";
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  std::optional<Trial> tryOut() {
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    Trial trial;
    for (auto entry : copy->getOps<func::FuncOp>()) {
      if (!attrs::entry.isOn(entry))
        continue;
      if (failed(Splitter(entry, mesh).run()))
        return std::nullopt;
      bool counts = !attrs::init.isOn(entry);
      entry.walk([&](Operation *op) { collect(op, counts, trial); });
    }
    return trial;
  }

  void collect(Operation *op, bool counts, Trial &trial) {
    if (auto part = dyn_cast<graph::OwnPartOp>(op)) {
      if (auto read = part.getX().getDefiningOp<graph::ReadVariableOp>())
        trial.add(read.getVariableAttr().getAttr(), takenFrom(mesh, part));
    } else if (auto write = dyn_cast<graph::WriteVariableOp>(op)) {
      trial.add(write.getVariableAttr().getAttr(),
                gatheredFrom(mesh, write.getValue()));
    } else if (isa<graph::AllGatherOp, graph::AllReduceOp>(op) && counts) {
      trial.bytes += graph::tensorBytes(op->getResult(0).getType());
    }
  }

  SmallVector<graph::VariableOp> decide(const Trial &trial) {
    int64_t data = bitOf(mesh, dataAxis);
    SmallVector<graph::VariableOp> decided;
    for (graph::VariableOp variable : variables()) {
      auto found = trial.wanted.find(variable.getSymNameAttr());
      if (attrs::shards.isOn(variable) || found == trial.wanted.end() ||
          found->second.size() != 1 ||
          inLoops.contains(variable.getSymNameAttr()))
        continue;
      const Sharding &sharding = found->second.front();
      if (llvm::any_of(sharding, [&](int64_t bits) { return bits & data; }))
        continue;
      LLVM_DEBUG(llvm::dbgs()
                 << "divides '" << variable.nameInModel() << "'\n");
      attrs::shards.set(variable, ArrayRef(sharding));
      decided.push_back(variable);
    }
    return decided;
  }

  MeshAttr mesh;
  DenseSet<StringAttr> inLoops;
};

} // namespace
} // namespace weir::shard
