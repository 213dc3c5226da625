// Puts the tasks of a sequence in an order in which independent ones can share
// parallel regions.

#include "passes/plan/Stretch.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-form-task-groups"

using namespace mlir;

namespace weir::plan {

/// A group accepts no more tasks after so many nanoseconds, or so many tasks.
static constexpr int64_t enoughTime = 64000;
static constexpr size_t enoughTasks = 16;
/// The number of tasks that a later one may overtake. The limit exists because
/// the operands of overtaken tasks stay live.
static constexpr size_t maxOvertaken = 512;
/// A large task runs before a small one if it has so many slices for others.
static constexpr size_t minParts = 4;
/// A task with more than so many times the work for which threads are idle
/// gains little from them, and runs alone.
static constexpr int64_t maxFill = 8;

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

Stretch::Stretch(ArrayRef<Operation *> ops, ArrayRef<TaskTime> times,
                 int64_t slots, int64_t maxGrowth)
    : ops(ops), times(times), slots(slots),
      maxBytes(LiveBytes::peakInOrder(ops) + maxGrowth), live(ops),
      done(ops.size(), false), end(ops.back()->getNextNode()),
      hasLongSequential(llvm::any_of(times, [](const TaskTime &time) {
        return time.isLongSequential();
      })) {
  std::optional<size_t> check;
  for (auto [i, op] : llvm::enumerate(ops)) {
    order[op] = i;
    if (!isa<graph::CheckOp>(op))
      continue;
    if (check)
      checkBefore[op] = *check;
    check = i;
  }
}

void Stretch::schedule(int64_t &taskGroups) {
  while (first < ops.size()) {
    Indices taskGroup = nextTaskGroup();
    int64_t time = 0, longest = 0;
    for (size_t i : taskGroup) {
      time += times[i].total;
      longest = std::max(longest, times[i].total);
    }
    bool isShared = taskGroup.size() > 1 && time - longest >= worthSharing;
    place(taskGroup);
    if (isShared) {
      for (size_t i : taskGroup)
        cast<plan::TaskOp>(ops[i]).setTaskGroup(taskGroups);
      LLVM_DEBUG(llvm::dbgs() << "runs " << taskGroup.size() << " tasks of "
                              << time << " ns in one parallel region\n");
    }
    taskGroups += isShared;
    while (first < ops.size() && done[first])
      ++first;
  }
}

/// Returns the first remaining task and later ones whose operands are computed.
/// If the group would have one task, a large task that feeds several others
/// runs instead. For example, the steps of one direction of a recurrent net
/// wait for the steps of the other one.
Stretch::Indices Stretch::nextTaskGroup() {
  Indices taskGroup;
  std::optional<size_t> large;
  int64_t time = 0;
  forEachReady([&](size_t i) {
    if (times[i].total > smallTask) {
      if (taskGroup.empty()) {
        taskGroup = longGroup(i);
        return false;
      }
      if (!large && hasParts(ops[i]))
        large = i;
      return true;
    }
    taskGroup.push_back(i);
    time += times[i].total;
    return time < enoughTime && taskGroup.size() < enoughTasks;
  });
  if (large && taskGroup.size() == 1)
    return {*large};
  return taskGroup;
}

/// Returns a group for task `at`, which is long. Tasks that one thread computes
/// run beside each other. If they are fewer than threads, tasks without which a
/// further one cannot begin come before them.
Stretch::Indices Stretch::longGroup(size_t at) {
  if (!hasLongSequential)
    return {at};
  Indices sequential, shared;
  forEachReady([&](size_t i) {
    if (times[i].isLongSequential())
      sequential.push_back(i);
    else if (times[i].total > smallTask && times[i].fills)
      shared.push_back(i);
    return true;
  });
  if (sequential.empty())
    return {at};
  if (static_cast<int64_t>(sequential.size()) < slots)
    if (Indices before = leadingTo(sequential); !before.empty())
      return before;
  Indices taskGroup;
  int64_t work = 0, longest = 0;
  auto add = [&](size_t i) {
    taskGroup.push_back(i);
    if (taskGroup.size() > 1 && !isWithinLimit(taskGroup))
      return taskGroup.pop_back();
    // Parts that threads share are in regions of their own.
    bool isLong = times[i].isLongSequential();
    work += isLong ? times[i].sequential : times[i].total;
    longest = std::max(longest, isLong ? times[i].sequential : 0);
  };
  // More tasks than threads would only need more memory, unless short ones
  // follow each other beside a long one.
  for (size_t i : sequential)
    if (static_cast<int64_t>(taskGroup.size()) < slots ||
        (taskGroup.size() < enoughTasks &&
         work + times[i].sequential <= slots * longest))
      add(i);
  for (size_t i : shared) {
    int64_t idle = slots * longest - work;
    if (idle > 0 && times[i].total <= maxFill * idle &&
        taskGroup.size() < enoughTasks)
      add(i);
  }
  if (taskGroup.size() == 1)
    return {at};
  llvm::sort(taskGroup);
  return taskGroup;
}

/// Returns a task, or small ones, on which a long task of one thread depends
/// that can run beside the given ones. None if there is no such task, or if the
/// memory is too small for results that early.
Stretch::Indices Stretch::leadingTo(ArrayRef<size_t> sequential) {
  SmallVector<bool> waits(ops.size(), false), leads(ops.size(), false);
  for (size_t i : sequential)
    waits[i] = true;
  for (size_t i = first; i < ops.size(); ++i)
    if (!done[i])
      forEachBefore(ops[i], [&](size_t j) { waits[i] |= waits[j]; });
  for (size_t i = ops.size(); i-- > first;) {
    leads[i] |= !done[i] && !waits[i] && times[i].isLongSequential();
    if (leads[i])
      forEachBefore(ops[i], [&](size_t j) { leads[j] = !done[j]; });
  }
  Indices tasks;
  int64_t time = 0;
  forEachReady([&](size_t i) {
    if (!leads[i])
      return true;
    if (times[i].total > smallTask) {
      if (tasks.empty())
        tasks.push_back(i);
      return false;
    }
    tasks.push_back(i);
    time += times[i].total;
    return time < enoughTime && tasks.size() < enoughTasks;
  });
  if (!isWithinLimit(tasks))
    return {};
  return tasks;
}

/// Calls `visit` for each remaining task whose operands are computed, until it
/// returns false. Views of computed values and checks move to the front, since
/// they cost nothing.
void Stretch::forEachReady(function_ref<bool(size_t)> visit) {
  size_t passed = 0;
  for (size_t i = first; i < ops.size() && passed < maxOvertaken; ++i) {
    if (done[i])
      continue;
    if (!isReady(ops[i]))
      ++passed;
    else if (!isa<plan::TaskOp>(ops[i]))
      place(i);
    else if (!visit(i))
      return;
  }
}

void Stretch::place(ArrayRef<size_t> together) {
  live.run(opsOf(together));
  for (size_t i : together) {
    ops[i]->moveBefore(end);
    done[i] = true;
  }
}

bool Stretch::isReady(Operation *op) const {
  bool isReady = true;
  forEachBefore(op, [&](size_t i) { isReady &= done[i]; });
  return isReady;
}

bool Stretch::isWithinLimit(ArrayRef<size_t> together) const {
  return live.during(opsOf(together)) <= maxBytes;
}

SmallVector<Operation *> Stretch::opsOf(ArrayRef<size_t> indices) const {
  return llvm::map_to_vector(indices, [&](size_t i) { return ops[i]; });
}

void Stretch::forEachBefore(Operation *op,
                            function_ref<void(size_t)> visit) const {
  for (Value operand : op->getOperands()) {
    auto found = order.find(operand.getDefiningOp());
    if (found != order.end())
      visit(found->second);
  }
  if (auto found = checkBefore.find(op); found != checkBefore.end())
    visit(found->second);
}

} // namespace weir::plan
