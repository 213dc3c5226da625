// Divides groups of tasks into parallel regions.

#include "passes/cpu/loops/Steps.h"

#include "dialects/kernel/Sharing.h"
#include "dialects/weir/Attributes.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace weir::cpu {

namespace {

/// The items of a balanced step for each thread. Chunks are a few times
/// smaller.
constexpr int64_t itemsOfThread = 64;

int64_t sequentialTimeOf(func::FuncOp kernel) {
  auto time = kernel ? attrs::sequentialNanoseconds.of(kernel) : IntegerAttr();
  return time ? time.getInt() : 0;
}

func::FuncOp kernelOf(plan::RunOp run) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      run, run.getKernelAttr());
}

bool isLongSequential(plan::RunOp run) {
  return sequentialTimeOf(kernelOf(run)) >= kernel::longSequentialTime;
}

/// The estimated nanoseconds of a run in a step, at least one.
double timeOf(const StepRun &part) {
  func::FuncOp kernel = part.phase ? part.phase->kernel : kernelOf(part.run);
  IntegerAttr total = kernel ? attrs::nanoseconds.of(kernel) : nullptr;
  auto sequential = static_cast<double>(sequentialTimeOf(kernel));
  double all = total ? static_cast<double>(total.getInt()) : 0;
  bool isShared = part.phase && part.phase->loop;
  double time = isShared                       ? all - sequential
                : part.phase || sequential > 0 ? sequential
                                               : all;
  return std::max(1., time);
}

/// The phase of a run with most of its time: of a long task of one thread its
/// last sequential phase, otherwise the last one.
size_t mainPhase(plan::RunOp run, ArrayRef<Phase> phases) {
  size_t last = phases.size() - 1;
  if (isLongSequential(run))
    for (size_t i = phases.size(); i-- > 0;)
      if (!phases[i].loop)
        return i;
  return last;
}

/// Distributes the runs of a step to threads: the longest first, each to the
/// thread that has least to do (Graham, 1969). The thread with the least work
/// also begins runs with work items, which the idle ones continue. A run gets
/// items in proportion to its time, and each thread an equal number of them.
class Balance {
public:
  Balance(const Step &step, int64_t slots)
      : step(step), times(llvm::map_to_vector(step, timeOf)), bins(slots) {
    SmallVector<size_t> longestFirst(step.size());
    std::iota(longestFirst.begin(), longestFirst.end(), 0);
    llvm::stable_sort(longestFirst,
                      [&](size_t x, size_t y) { return times[x] > times[y]; });
    for (size_t i : longestFirst) {
      if (step[i].phase && step[i].phase->loop) {
        shared.push_back(i);
        sharedTime += times[i];
        continue;
      }
      Bin &least = *llvm::min_element(
          bins, [](const Bin &x, const Bin &y) { return x.time < y.time; });
      least.runs.push_back(i);
      least.time += times[i];
    }
    llvm::stable_sort(
        bins, [](const Bin &x, const Bin &y) { return x.time > y.time; });
    bins.resize(
        llvm::count_if(bins, [](const Bin &bin) { return !bin.runs.empty(); }));
    if (bins.empty()) {
      placed = step;
      return;
    }
    int64_t idle = slots - static_cast<int64_t>(bins.size());
    length = std::max(bins.front().time, (bins.back().time + sharedTime) /
                                             static_cast<double>(idle + 1));
    llvm::append_range(bins.back().runs, shared);
    for (auto [i, bin] : llvm::enumerate(bins)) {
      bool isLast = i + 1 == bins.size();
      place(bin.runs,
            (isLast ? slots : static_cast<int64_t>(i) + 1) * itemsOfThread);
    }
  }

  Step result() { return std::move(placed); }

private:
  struct Bin {
    SmallVector<size_t> runs;
    double time = 0;
  };

  /// Appends runs, the last of which ends at item `end`.
  void place(ArrayRef<size_t> runs, int64_t end) {
    int64_t begin = items;
    double time = 0;
    for (size_t i : runs) {
      time += times[i];
      int64_t to = begin + std::llround(time / length * itemsOfThread);
      if (i == runs.back())
        to = std::max(to, end);
      to = std::max(to, items + 1);
      placed.push_back(step[i]);
      placed.back().items = to - items;
      items = to;
    }
  }

  const Step &step;
  SmallVector<double> times;
  SmallVector<Bin> bins;
  SmallVector<size_t> shared;
  double sharedTime = 0, length = 0; // of what each thread runs
  Step placed;
  int64_t items = 0;
};

/// The first phases of all runs of a group become a step, and so do the second
/// ones. If one thread computes long phases, these and the main phases of the
/// other runs become one step.
SmallVector<Step> stepsOfPhases(ArrayRef<plan::RunOp> taskGroup,
                                Phases &phasesOf) {
  bool isBalanced =
      taskGroup.size() > 1 && llvm::any_of(taskGroup, isLongSequential);
  auto before = [&](plan::RunOp run) -> size_t {
    auto found = phasesOf.find(run.getKernel());
    return found == phasesOf.end() ? 0 : mainPhase(run, found->second);
  };
  size_t main = 0;
  if (isBalanced)
    for (plan::RunOp run : taskGroup)
      main = std::max(main, before(run));
  SmallVector<Step> steps(main + 1);
  for (plan::RunOp run : taskGroup) {
    size_t at = isBalanced ? main - before(run) : 0;
    auto found = phasesOf.find(run.getKernel());
    if (found == phasesOf.end()) {
      steps[at].push_back({run, nullptr});
      continue;
    }
    for (Phase &phase : found->second) {
      if (at == steps.size())
        steps.emplace_back();
      steps[at++].push_back({run, &phase});
    }
  }
  if (isBalanced && steps[main].size() > 1)
    steps[main] = Balance(steps[main], slotsOf(taskGroup.front())).result();
  return steps;
}

/// In a row-wise group, consecutive kernels that are shared by the same blocks
/// of rows stay together. Others become groups of one. So do kernels of several
/// phases, as their phases may share scratch memory.
SmallVector<Step> stepsByRows(ArrayRef<plan::RunOp> taskGroup,
                              Phases &phasesOf) {
  SmallVector<Step> steps;
  std::optional<int64_t> workItems; // of the last step, if it takes more
  for (plan::RunOp run : taskGroup) {
    auto found = phasesOf.find(run.getKernel());
    if (found == phasesOf.end()) {
      steps.push_back({{run, nullptr}});
      workItems.reset();
      continue;
    }
    for (Phase &phase : found->second) {
      std::optional<int64_t> own;
      if (found->second.size() == 1 && phase.loop && phase.loop.getRowWise())
        own = phase.loop.getCount();
      if (!own || own != workItems)
        steps.emplace_back();
      steps.back().push_back({run, &phase});
      workItems = own;
    }
  }
  return steps;
}

} // namespace

SmallVector<Step> stepsOf(ArrayRef<plan::RunOp> taskGroup, Phases &phasesOf) {
  return plan::RunOp(taskGroup.front()).getRowWise()
             ? stepsByRows(taskGroup, phasesOf)
             : stepsOfPhases(taskGroup, phasesOf);
}

} // namespace weir::cpu
