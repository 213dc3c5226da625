// Puts kernels between the start of an all-reduce and the first use of its
// result.

#include "passes/plan/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/graph/state/State.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-overlap-exchanges"

using namespace mlir;

namespace weir::plan {
#define GEN_PASS_DEF_OVERLAPEXCHANGES
#include "passes/plan/Passes.h.inc"

namespace {

/// Whether the plan has no task for the op, only a view.
bool isView(Operation *op) {
  return isa<graph::ReshapeOp, graph::SliceOp, graph::ConcatOp>(op);
}

/// Sorts the ops of a block by the last all-reduce that they need.
class Order {
public:
  Order(Block &block, ArrayRef<graph::AllReduceOp> all) : block(block) {
    for (auto [i, reduce] : llvm::enumerate(all))
      numbers[reduce] = i + 1;
  }

  void apply() {
    SmallVector<std::pair<size_t, size_t>> order; // the need, and the place
    SmallVector<SmallVector<Operation *>> units;
    for (Operation &op : block.without_terminator()) {
      if (!goesOn) {
        units.emplace_back();
        order.push_back({0, order.size()});
      }
      units.back().push_back(&op);
      auto task = dyn_cast<plan::TaskOp>(op);
      goesOn = task ? bool(task.nextInGroup()) : goesOn;
      if (goesOn)
        continue;
      size_t need = 0;
      for (Operation *each : units.back())
        need = std::max(need, needOf(each));
      order.back().first = need;
      for (Operation *each : units.back())
        note(each, need);
    }
    llvm::sort(order);
    for (auto [need, i] : order)
      for (Operation *op : units[i])
        op->moveBefore(block.getTerminator());
  }

private:
  /// The number of the last all-reduce that must have ended before the op.
  size_t needOf(Operation *op) const {
    size_t need = 0;
    graph::forEachMaker(op, [&](Operation *maker) {
      size_t own = numbers.lookup(maker);
      need = std::max(need, own ? own : needs.lookup(maker));
    });
    if (auto read = dyn_cast<graph::ReadVariableOp>(op))
      return std::max({need, barrier, written.lookup(nameOf(read))});
    if (auto write = dyn_cast<graph::WriteVariableOp>(op))
      return std::max({need, barrier, checked, written.lookup(nameOf(write)),
                       used.lookup(nameOf(write))});
    return isMemoryEffectFree(op) ? need : std::max(need, last);
  }

  void note(Operation *op, size_t need) {
    needs[op] = need;
    auto keep = [&](size_t &largest) { largest = std::max(largest, need); };
    // The memory of a variable is used until the last use of what was read.
    graph::forEachMaker(op, [&](Operation *maker) {
      if (StringAttr variable = lies.lookup(maker)) {
        keep(used[variable]);
        if (isView(op))
          lies[op] = variable;
      }
    });
    if (auto read = dyn_cast<graph::ReadVariableOp>(op)) {
      lies[op] = nameOf(read);
      keep(used[nameOf(read)]);
    } else if (auto write = dyn_cast<graph::WriteVariableOp>(op)) {
      keep(written[nameOf(write)]);
    } else if (isa<graph::CheckOp>(op)) {
      keep(checked);
    } else if (isMemoryEffectFree(op)) {
      return;
    } else {
      keep(barrier);
    }
    keep(last);
  }

  template <typename Op>
  static StringAttr nameOf(Op op) {
    return op.getVariableAttr().getAttr();
  }

  Block &block;
  bool goesOn = false;                    // whether a group has more tasks
  DenseMap<Operation *, size_t> numbers;  // of all-reduces, from 1
  DenseMap<Operation *, size_t> needs;    // of ops so far
  DenseMap<Operation *, StringAttr> lies; // in the memory of a variable
  DenseMap<StringAttr, size_t> used, written;
  // Of checks, of other ops with effects, and of all effects.
  size_t checked = 0, barrier = 0, last = 0;
};

/// Moves the all-reduce, with views that its operand is made of, behind the
/// task that makes the last of them.
void hoist(graph::AllReduceOp reduce) {
  SetVector<Operation *> views;
  Operation *after = nullptr;
  views.insert(reduce);
  for (size_t i = 0; i < views.size(); ++i)
    graph::forEachMaker(views[i], [&](Operation *maker) {
      if (isView(maker))
        views.insert(maker);
      else if (!after || after->isBeforeInBlock(maker))
        after = maker;
    });
  if (!after)
    return;
  if (auto task = dyn_cast<plan::TaskOp>(after))
    while (plan::TaskOp next = task.nextInGroup())
      after = task = next;
  SmallVector<Operation *> moved;
  for (Operation *view : views)
    if (after->isBeforeInBlock(view))
      moved.push_back(view);
  llvm::sort(moved,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : moved) {
    op->moveAfter(after);
    after = op;
  }
}

struct OverlapExchanges : impl::OverlapExchangesBase<OverlapExchanges> {
  void runOnOperation() override {
    if (!attrs::mesh.isOn(getOperation()) || attrs::remat.isOn(getOperation()))
      return;
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      if (!attrs::entry.isOn(entry))
        continue;
      Block &block = entry.getBody().front();
      SmallVector<graph::AllReduceOp> all = graph::finalReductions(block);
      if (all.empty())
        continue;
      LLVM_DEBUG(llvm::dbgs() << all.size() << " all-reduces beside kernels\n");
      for (graph::AllReduceOp reduce : all)
        hoist(reduce);
      llvm::sort(all, [](graph::AllReduceOp a, graph::AllReduceOp b) {
        return a->isBeforeInBlock(b);
      });
      Order(block, all).apply();
    }
  }
};

} // namespace
} // namespace weir::plan
