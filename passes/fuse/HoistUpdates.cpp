// Assignments of variables go to where their values can first be made.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fuse/Timeline.h"
#include "llvm/ADT/StringExtras.h"

#define DEBUG_TYPE "weir-hoist-updates"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_HOISTUPDATES
#include "passes/fuse/Passes.h.inc"

namespace {

/// Finds for each op of a block the one behind which it goes.
class Order {
public:
  Order(Block &block, ModuleOp module) : block(block) {
    findOwners(module);
    for (Operation &op : block)
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (StringAttr owner = ownerOf(op))
        serves[op] = owner;
    Timeline timeline(block);
    for (auto [i, op] : llvm::enumerate(ops)) {
      size_t place = earliest(op);
      // What frees memory, and comes later than it could.
      bool isLate = isa<graph::GroupOp>(op) && timeline.growthBy(i) <= 0 &&
                    place < staying;
      bool moves = isMoved(op) || isLate;
      places[op] = moves ? place : i;
      if (!moves && isa<graph::GroupOp>(op))
        staying = i;
      note(op);
    }
  }

  void apply() {
    SmallVector<std::pair<size_t, size_t>> order;
    for (auto [i, op] : llvm::enumerate(ops))
      order.push_back({places.lookup(op), i});
    llvm::sort(order);
    for (auto [place, i] : order)
      ops[i]->moveBefore(&block, block.end());
  }

private:
  /// What is kept for a variable goes with it: `w/Adam` with `w`. Names are
  /// followed scope by scope from the outermost, so that this takes time
  /// proportional to their lengths.
  void findOwners(ModuleOp module) {
    many = StringAttr::get(module.getContext(), "");
    if (block.getOps<graph::WriteVariableOp>().empty())
      return;
    DenseMap<std::pair<unsigned, StringRef>, unsigned> scopes;
    SmallVector<StringAttr> named(1); // of the scopes that are variables' names
    for (auto variable : module.getOps<graph::VariableOp>()) {
      unsigned scope = 0;
      for (StringRef part : llvm::split(variable.nameInModel(), '/')) {
        auto [inner, isNew] = scopes.try_emplace({scope, part}, named.size());
        if (isNew)
          named.emplace_back();
        scope = inner->second;
      }
      named[scope] = variable.getSymNameAttr();
    }
    for (auto variable : module.getOps<graph::VariableOp>()) {
      unsigned scope = 0;
      StringAttr owner;
      for (StringRef part : llvm::split(variable.nameInModel(), '/')) {
        scope = scopes.lookup({scope, part});
        owner = named[scope];
        if (owner)
          break;
      }
      owners[variable.getSymNameAttr()] = owner;
    }
  }

  /// The variable that an op is for: one that it assigns, or that all of its
  /// users are for; `many` where these differ, null where some are for none.
  StringAttr ownerOf(Operation *op) const {
    if (auto write = dyn_cast<graph::WriteVariableOp>(op))
      return owners.lookup(write.getVariableAttr().getAttr());
    if (!isa<graph::GroupOp, graph::ReshapeOp, graph::SliceOp, graph::ConcatOp,
             graph::ReadVariableOp>(op))
      return {};
    StringAttr owner;
    for (Operation *user : op->getUsers()) {
      StringAttr of = serves.lookup(user);
      if (!of)
        return {};
      owner = !owner || owner == of ? of : many;
    }
    return owner;
  }

  /// Whether the op goes where it can be first: what is for one variable, and
  /// what needs nothing that is not there from the beginning, of what is for no
  /// variable only what is of numbers. A gradient that others are made of is
  /// for many.
  bool isMoved(Operation *op) {
    StringAttr owner = serves.lookup(op);
    bool isRead = isa<graph::ReadVariableOp>(op);
    bool isOfNumbers =
        isa<graph::GroupOp>(op) &&
        llvm::all_of(op->getOperandTypes(), [](Type type) {
          return cast<RankedTensorType>(type).getNumElements() == 1;
        });
    bool isEarly = (owner || isRead || isOfNumbers) &&
                   llvm::all_of(op->getOperands(), [&](Value operand) {
                     Operation *maker = operand.getDefiningOp();
                     return !maker || isa<graph::ConstantOp>(maker) ||
                            early.contains(maker);
                   });
    if (isEarly)
      early.insert(op);
    return isEarly || (owner && owner != many);
  }

  /// Behind its operands, and behind what its effect must not overtake.
  size_t earliest(Operation *op) const {
    size_t place = 0;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        place = std::max(place, places.lookup(maker));
    if (auto read = dyn_cast<graph::ReadVariableOp>(op))
      return std::max(
          {place, barrier, assigned.lookup(read.getVariableAttr().getAttr())});
    if (auto write = dyn_cast<graph::WriteVariableOp>(op)) {
      StringAttr variable = write.getVariableAttr().getAttr();
      return std::max(
          {place, barrier, assigned.lookup(variable), used.lookup(variable)});
    }
    return place;
  }

  /// What later assignments must not overtake.
  void note(Operation *op) {
    size_t place = places.lookup(op);
    auto keep = [&](size_t &last) { last = std::max(last, place); };
    if (auto read = dyn_cast<graph::ReadVariableOp>(op)) {
      StringAttr variable = read.getVariableAttr().getAttr();
      lies[read] = variable;
      keep(used[variable]);
    } else if (auto write = dyn_cast<graph::WriteVariableOp>(op)) {
      keep(assigned[write.getVariableAttr().getAttr()]);
    } else if (isa<graph::CheckOp, graph::IfOp, graph::WhileOp>(op)) {
      keep(barrier);
    }
    // What was read is used where it lies.
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (StringAttr variable = lies.lookup(operand)) {
          keep(used[variable]);
          if (isa<graph::ReshapeOp, graph::SliceOp>(op))
            lies[op->getResult(0)] = variable;
        }
    });
  }

  Block &block;
  SmallVector<Operation *> ops;
  DenseMap<StringAttr, StringAttr> owners;
  StringAttr many;
  DenseMap<Operation *, StringAttr> serves;
  DenseSet<Operation *> early;
  DenseMap<Operation *, size_t> places;
  DenseMap<Value, StringAttr> lies; // in the place of a variable
  /// Behind which op a variable is used and assigned for the last time so far,
  /// and the last op that may have other effects.
  DenseMap<StringAttr, size_t> used, assigned;
  size_t barrier = 0;
  size_t staying = 0; // the last group that stays where it is
};

struct HoistUpdates : impl::HoistUpdatesBase<HoistUpdates> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (attrs::entry.isOn(function) &&
        attrs::remat.isOn(function->getParentOp()))
      Order(function.getBody().front(), function->getParentOfType<ModuleOp>())
          .apply();
  }
};

} // namespace
} // namespace weir
