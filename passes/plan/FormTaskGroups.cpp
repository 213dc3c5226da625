// Groups small independent tasks, so that they share one parallel region.
//
// Threads divide the work items of each task between them, and wait at a
// barrier after it. The barrier costs as much as a few microseconds of work, so
// small tasks gain from sharing one. Tasks that are already in a group, by
// row-wise fusion, keep it.

#include "passes/plan/Passes.h"

#include "passes/plan/Tasks.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-form-task-groups"

using namespace mlir;

namespace weir::plan {
#define GEN_PASS_DEF_FORMTASKGROUPS
#include "passes/plan/Passes.h.inc"

namespace {

/// A group accepts no more tasks after so many nanoseconds, or so many tasks.
constexpr int64_t enoughTime = 64000;
constexpr size_t enoughTasks = 16;
/// The number of tasks that a later one may overtake. The limit exists because
/// the operands of overtaken tasks stay live.
constexpr size_t maxOvertaken = 512;
/// A large task runs before a small one if it has so many slices for others.
constexpr size_t minParts = 4;

/// A sequence of ops that may be reordered where they do not depend on each
/// other.
class Stretch {
public:
  Stretch(ArrayRef<Operation *> ops, ArrayRef<int64_t> times)
      : ops(ops), times(times), done(ops.size(), false) {
    for (auto [i, op] : llvm::enumerate(ops))
      order[op] = i;
  }

  void schedule(int64_t &taskGroups) {
    end = ops.back()->getNextNode();
    while (first < ops.size()) {
      SmallVector<size_t> taskGroup = nextTaskGroup();
      int64_t time = 0, longest = 0;
      for (size_t i : taskGroup) {
        time += times[i];
        longest = std::max(longest, times[i]);
      }
      bool isShared = taskGroup.size() > 1 && time - longest >= worthSharing;
      for (size_t i : taskGroup) {
        ops[i]->moveBefore(end);
        done[i] = true;
        if (isShared)
          cast<plan::TaskOp>(ops[i]).setTaskGroup(taskGroups);
      }
      if (isShared)
        LLVM_DEBUG(llvm::dbgs() << "runs " << taskGroup.size() << " tasks of "
                                << time << " ns in one parallel region\n");
      taskGroups += isShared;
      while (first < ops.size() && done[first])
        ++first;
    }
  }

private:
  /// Returns the first remaining task and later ones whose operands are
  /// computed. Views of computed values move to the front, since they cost
  /// nothing. If the group would have one task, a large task that feeds several
  /// others runs instead. For example, the steps of one direction of a
  /// recurrent net wait for the steps of the other one.
  SmallVector<size_t> nextTaskGroup() {
    SmallVector<size_t> taskGroup;
    std::optional<size_t> large;
    int64_t time = 0;
    size_t passed = 0;
    for (size_t i = first; i < ops.size() && passed < maxOvertaken; ++i) {
      if (done[i])
        continue;
      if (!isReady(ops[i])) {
        ++passed;
        continue;
      }
      if (!isa<plan::TaskOp>(ops[i])) {
        ops[i]->moveBefore(end);
        done[i] = true;
        continue;
      }
      if (times[i] > smallTask) {
        if (taskGroup.empty())
          return {i};
        if (!large && hasParts(ops[i]))
          large = i;
        continue;
      }
      taskGroup.push_back(i);
      time += times[i];
      if (time >= enoughTime || taskGroup.size() == enoughTasks)
        break;
    }
    if (large && taskGroup.size() == 1)
      return {*large};
    return taskGroup;
  }

  /// Whether the result has slices for several tasks.
  static bool hasParts(Operation *op) {
    size_t slices = 0;
    SmallVector<Operation *> views(op->user_begin(), op->user_end());
    while (!views.empty()) {
      Operation *view = views.pop_back_val();
      if (isa<graph::ReshapeOp>(view))
        llvm::append_range(views, view->getUsers());
      slices += isa<graph::SliceOp>(view);
    }
    return slices >= minParts;
  }

  bool isReady(Operation *op) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      auto found = order.find(operand.getDefiningOp());
      return found == order.end() || done[found->second];
    });
  }

  ArrayRef<Operation *> ops;
  ArrayRef<int64_t> times;
  SmallVector<bool> done;
  DenseMap<Operation *, size_t> order;
  Operation *end = nullptr; // the op after the sequence
  size_t first = 0;
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
    SmallVector<int64_t> times;
    auto flush = [&] {
      if (!ops.empty())
        Stretch(ops, times).schedule(taskGroups);
      ops.clear();
      times.clear();
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto task = dyn_cast<plan::TaskOp>(op);
      int64_t time = task && task.getTaskGroup() ? -1 : timeOf(&op, symbols);
      if (time < 0) {
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
