// Estimates the time of tasks, for the passes that group them.

#include "passes/plan/Tasks.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::plan {

int64_t timeOf(Operation *op, SymbolTable &symbols) {
  if (isa<graph::ReshapeOp, graph::SliceOp, graph::ConcatOp, graph::ConstantOp,
          graph::EmptyOp>(op))
    return 0;
  auto task = dyn_cast<plan::TaskOp>(op);
  auto kernel = task ? symbols.lookup<func::FuncOp>(task.getKernel()) : nullptr;
  auto time = kernel ? attrs::nanoseconds.of(kernel) : nullptr;
  return time ? time.getInt() : -1;
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
