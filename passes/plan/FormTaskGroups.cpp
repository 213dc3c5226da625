// Groups independent tasks, so that they share one parallel region.
//
// Threads divide the work items of each task between them, and wait at a
// barrier after it. The barrier costs as much as a few microseconds of work, so
// small tasks gain from sharing one. A long task without work items, such as a
// sort, leaves all threads but one idle, unless it runs beside others. Tasks
// that are already in a group, by row-wise fusion, keep it.

#include "passes/plan/Passes.h"

#include "passes/plan/Stretch.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/graph/state/State.h"
#include "dialects/kernel/Sharing.h"
#include "dialects/weir/Attributes.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-form-task-groups"

using namespace mlir;

namespace weir::plan {
#define GEN_PASS_DEF_FORMTASKGROUPS
#include "passes/plan/Passes.h.inc"

namespace {

/// The bytes by which independent long tasks may make the arena larger.
constexpr int64_t maxGrowth = 64 << 20;

/// Finds the ops that are the first to need an all-reduce. Ranks wait there, so
/// tasks from behind do not move before it.
class Waits {
public:
  bool isBefore(Operation &op) {
    if (isa<graph::ReshapeOp, graph::SliceOp, graph::ConcatOp>(op))
      return false;
    bool isFirst = false;
    graph::forEachMaker(&op, [&](Operation *maker) {
      while (isa_and_nonnull<graph::ReshapeOp, graph::SliceOp>(maker))
        maker = maker->getOperand(0).getDefiningOp();
      if (isa_and_nonnull<graph::AllReduceOp>(maker))
        isFirst |= ended.insert(maker).second;
    });
    return isFirst;
  }

private:
  DenseSet<Operation *> ended;
};

struct FormTaskGroups : impl::FormTaskGroupsBase<FormTaskGroups> {
  void runOnOperation() override {
    SmallVector<Block *> blocks = blocksForThreads(getOperation());
    if (blocks.empty())
      return;
    SymbolTable symbols(getOperation());
    int64_t taskGroups = 0;
    getOperation().walk([&](plan::TaskOp task) {
      taskGroups =
          std::max<int64_t>(taskGroups, task.getTaskGroup().value_or(-1) + 1);
    });
    for (Block *block : blocks)
      formTaskGroups(*block, symbols, taskGroups);
  }

private:
  static void formTaskGroups(Block &block, SymbolTable &symbols,
                             int64_t &taskGroups) {
    SmallVector<Operation *> ops;
    SmallVector<TaskTime> times;
    auto module = block.getParentOp()->getParentOfType<ModuleOp>();
    int64_t slots = slotsOf(block.getParentOp());
    // With --remat memory goes before speed.
    int64_t growth = attrs::remat.isOn(module) ? 0 : maxGrowth;
    // A run that fails changes no variable, although tasks may write to one.
    bool hasVariables = !module.getOps<graph::VariableOp>().empty();
    auto flush = [&] {
      if (!ops.empty())
        Stretch(ops, times, slots, growth).schedule(taskGroups);
      LLVM_DEBUG(llvm::dbgs() << ops.size() << " ops in order, " << taskGroups
                              << " groups up to here\n");
      ops.clear();
      times.clear();
    };
    Waits waits;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (waits.isBefore(op))
        flush();
      auto task = dyn_cast<plan::TaskOp>(op);
      TaskTime time = TaskTime::of(&op, symbols);
      if (task && task.getTaskGroup())
        time = {};
      else if (isa<graph::CheckOp>(op) && !hasVariables)
        time = {0};
      if (!time.isKnown()) {
        flush();
        continue;
      }
      ops.push_back(&op);
      times.push_back(time);
    }
    flush();
  }
};

} // namespace
} // namespace weir::plan
