// Divides loops into work items, which threads share.

#include "passes/cpu/loops/WorkItems.h"

#include "passes/cpu/Sharing.h"

#include "dialects/kernel/Kernel.h"

using namespace mlir;

namespace weir::cpu {

/// A size near `size` for which the last work item is not smaller, or `size`
/// itself.
static int64_t dividing(int64_t range, int64_t size, int64_t step) {
  for (int64_t larger = size; larger <= 2 * size; larger += step)
    if (range % larger == 0)
      return larger;
  for (int64_t less = size - step; less >= size / 2 && less > 0; less -= step)
    if (range % less == 0)
      return less;
  return size;
}

static int64_t workItemSize(double cycles, int64_t range, int64_t step) {
  int64_t workItems = std::clamp<int64_t>(
      static_cast<int64_t>(std::min(cycles / kernel::workItemCycles,
                                    double(kernel::maxWorkItems))),
      2, range < 2 ? 2 : range);
  int64_t size = llvm::alignTo(llvm::divideCeil(range, workItems), step);
  return dividing(range, size, step);
}

int64_t workItemStep(ArrayRef<int64_t> ranges, unsigned dimension) {
  return dimension + 1 == ranges.size() ? 256 : 1;
}

std::optional<Cut> cutLoops(ArrayRef<int64_t> ranges, double cycles,
                            llvm::function_ref<int64_t(unsigned)> stepOf) {
  constexpr int64_t feedsThreads = 16;
  std::optional<unsigned> chosen;
  for (unsigned d = 0; d < ranges.size(); ++d)
    if (stepOf(d) && (!chosen || (ranges[*chosen] < feedsThreads &&
                                  ranges[d] > ranges[*chosen])))
      chosen = d;
  if (!chosen)
    return std::nullopt;
  int64_t range = ranges[*chosen];
  Cut cut{*chosen, range, workItemSize(cycles, range, stepOf(*chosen))};
  return cut.size < range ? std::optional(cut) : std::nullopt;
}

Cut withOuterLoops(Cut cut, ArrayRef<int64_t> ranges,
                   llvm::function_ref<int64_t(unsigned)> stepOf) {
  unsigned count = 0;
  while (count < cut.dimension && stepOf(count) == 1)
    ++count;
  ArrayRef<int64_t> outer = ranges.take_front(count);
  int64_t values = ShapedType::getNumElements(outer);
  if (values == 1 || values > kernel::maxWorkItems)
    return cut;
  int64_t step = stepOf(cut.dimension), workItems = cut.workItems();
  int64_t each =
      llvm::divideCeil(cut.range, std::max(workItems / values, int64_t(1)));
  int64_t size = dividing(cut.range, llvm::alignTo(each, step), step);
  if (cut.range % size)
    return cut;
  cut.size = size;
  cut.outer.assign(outer.begin(), outer.end());
  return cut;
}

void eachWorkItem(Emitter &e, const Cut &cut, Value first, Value last,
                  llvm::function_ref<void(Value, ArrayRef<LoopSlice>)> body) {
  int64_t whole = cut.range / cut.size, rest = cut.range % cut.size;
  if (!cut.outer.empty())
    return e.loop(first, last, 1, [&](Value workItem) {
      SmallVector<LoopSlice> slices;
      for (Value at : e.indicesOf(e.dividedBy(workItem, whole), cut.outer))
        slices.push_back({at, 1});
      slices.resize(cut.dimension);
      slices.push_back(
          {e.times(e.modulo(workItem, whole), cut.size), cut.size});
      body(workItem, slices);
    });
  auto workItemAt = [&](Value workItem, Value first, int64_t size) {
    SmallVector<LoopSlice> slices(cut.dimension + 1);
    slices.back() = {first, size};
    body(workItem, slices);
  };
  Value end = rest ? e.smaller(last, e.index(whole)) : last;
  e.loop(first, end, 1, [&](Value workItem) {
    workItemAt(workItem, e.times(workItem, cut.size), cut.size);
  });
  if (rest)
    e.loop(e.larger(first, e.index(whole)), last, 1, [&](Value workItem) {
      workItemAt(workItem, e.index(whole * cut.size), rest);
    });
}

void shareWorkItems(Emitter &e, const Cut &cut,
                    llvm::function_ref<void(Value, ArrayRef<LoopSlice>)> body) {
  auto loop = e.create<kernel::ParallelOp>(cut.workItems(), /*coarse=*/false);
  loop.setRowWise(cut.rowWise);
  OpBuilder::InsertionGuard guard(e);
  e.setInsertionPointToStart(&loop.getBody().front());
  eachWorkItem(e, cut, loop.getFirst(), loop.getLast(), body);
}

} // namespace weir::cpu
