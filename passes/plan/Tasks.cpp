// Estimates the time of tasks, for the passes that group them.

#include "passes/plan/Tasks.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Sharing.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::plan {

/// Whether the kernel may share a region with others. If its chunks have fixed
/// costs, they are few in any region. All threads may run some at once.
static bool fillsThreads(func::FuncOp kernel) {
  if (kernel.isDeclaration())
    return true;
  int64_t threads = slotsOf(kernel);
  auto loops = kernel.getBody().front().getOps<kernel::ParallelOp>();
  return llvm::all_of(loops, [&](kernel::ParallelOp loop) {
    auto slots = static_cast<int64_t>(loop.getSlots());
    auto count = static_cast<int64_t>(loop.getCount());
    return (slots == 0 || slots >= threads) &&
           (!loop.getCoarse() || count <= chunksOfThread * threads);
  });
}

TaskTime TaskTime::of(Operation *op, SymbolTable &symbols) {
  if (isa<graph::ReshapeOp, graph::SliceOp, graph::ConcatOp, graph::ConstantOp,
          graph::EmptyOp>(op))
    return {0};
  auto task = dyn_cast<plan::TaskOp>(op);
  auto kernel = task ? symbols.lookup<func::FuncOp>(task.getKernel()) : nullptr;
  IntegerAttr total = kernel ? attrs::nanoseconds.of(kernel) : nullptr;
  if (!total)
    return {};
  IntegerAttr sequential = attrs::sequentialNanoseconds.of(kernel);
  return {total.getInt(), sequential ? sequential.getInt() : 0,
          fillsThreads(kernel)};
}

SmallVector<Block *> blocksForThreads(ModuleOp module) {
  SmallVector<Block *> blocks;
  auto slots = attrs::slots.of(module);
  if (!slots || slots.getInt() <= 1)
    return blocks;
  for (auto entry : module.getOps<func::FuncOp>())
    if (attrs::entry.isOn(entry))
      entry.walk([&](Block *block) { blocks.push_back(block); });
  return blocks;
}

} // namespace weir::plan
