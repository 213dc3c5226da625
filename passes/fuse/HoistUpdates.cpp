// Moves assignments of variables to the first point where their values can be
// computed, so that gradients are freed early.

#include "passes/fuse/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/fuse/Timeline.h"
#include "llvm/ADT/StringExtras.h"

#define DEBUG_TYPE "weir-hoist-updates"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_HOISTUPDATES
#include "passes/fuse/Passes.h.inc"

namespace {

/// Computes for each op of a block the op after which it moves.
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
      size_t position = earliest(op);
      // Whether the op frees memory and can run earlier.
      bool isLate = isa<graph::GroupOp>(op) && timeline.growthBy(i) <= 0 &&
                    position < staying;
      bool moves = isMoved(op) || isLate;
      positions[op] = moves ? position : i;
      if (!moves && isa<graph::GroupOp>(op))
        staying = i;
      note(op);
    }
  }

  void apply() {
    SmallVector<std::pair<size_t, size_t>> order;
    for (auto [i, op] : llvm::enumerate(ops))
      order.push_back({positions.lookup(op), i});
    llvm::sort(order);
    for (auto [position, i] : order)
      ops[i]->moveBefore(&block, block.end());
  }

private:
  /// Optimizer state belongs to its variable: `w/Adam` to `w`. Names are
  /// searched scope by scope, so that the time is proportional to their
  /// lengths.
  void findOwners(ModuleOp module) {
    many = StringAttr::get(module.getContext(), "");
    if (block.getOps<graph::WriteVariableOp>().empty())
      return;
    DenseMap<std::pair<unsigned, StringRef>, unsigned> scopes;
    SmallVector<StringAttr> named(1); // the scopes that are names of variables
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

  /// The variable that an op belongs to: it assigns that one, or all of its
  /// users belong to it. Returns `many` for several variables, null if a user
  /// belongs to none.
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

  /// Whether the op moves to its earliest point. That is so for ops of one
  /// variable, and for scalar ops that depend on nothing computed. A gradient
  /// from which others are computed belongs to many variables.
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

  /// The point after the operands, and after effects that the op must not
  /// overtake.
  size_t earliest(Operation *op) const {
    size_t position = 0;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        position = std::max(position, positions.lookup(maker));
    if (auto read = dyn_cast<graph::ReadVariableOp>(op))
      return std::max({position, barrier,
                       assigned.lookup(read.getVariableAttr().getAttr())});
    if (auto write = dyn_cast<graph::WriteVariableOp>(op)) {
      StringAttr variable = write.getVariableAttr().getAttr();
      return std::max({position, barrier, assigned.lookup(variable),
                       used.lookup(variable)});
    }
    return position;
  }

  /// Records effects that later assignments must not overtake.
  void note(Operation *op) {
    size_t position = positions.lookup(op);
    auto keep = [&](size_t &last) { last = std::max(last, position); };
    if (auto read = dyn_cast<graph::ReadVariableOp>(op)) {
      StringAttr variable = read.getVariableAttr().getAttr();
      lies[read] = variable;
      keep(used[variable]);
    } else if (auto write = dyn_cast<graph::WriteVariableOp>(op)) {
      keep(assigned[write.getVariableAttr().getAttr()]);
    } else if (isa<graph::CheckOp, graph::AgreeOp, graph::IfOp, graph::WhileOp>(
                   op)) {
      keep(barrier);
    }
    // A value that was read is used in the variable's own memory.
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
  DenseMap<Operation *, size_t> positions;
  DenseMap<Value, StringAttr> lies; // values in the memory of a variable
  /// The last op so far that uses or assigns a variable, and the last op with
  /// other effects.
  DenseMap<StringAttr, size_t> used, assigned;
  size_t barrier = 0;
  size_t staying = 0; // the last group that does not move
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
} // namespace weir::fuse
