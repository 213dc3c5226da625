// Groups tasks that depend on each other row by row, so that they share one
// parallel region.
//
// A barrier between two kernels waits for the last thread. If a row of the
// second kernel's results depends only on the same row of the first one's, a
// thread can continue with its own rows. So a projection, a normalization and
// the next two products become one region. A single thread gains as well: it
// computes all kernels for some rows, whose values stay in its caches.
//
// Each block of rows reads all operands that are not row-wise, so these must
// fit into L2. All results are live together, so they may not exceed the L2 of
// the threads.

#include "passes/bufferize/Passes.h"

#include "dialects/kernel/Sharing.h"
#include "passes/bufferize/RowUses.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "dialects/kernel/cost/LoopCost.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-form-row-wise-groups"

using namespace mlir;

namespace weir::bufferize {
#define GEN_PASS_DEF_FORMROWWISEGROUPS
#include "passes/bufferize/Passes.h.inc"

namespace {

/// Rows that make a tile of products in registers, about.
constexpr int64_t rowsOfTile = 8;
/// A block of fewer rows is not worth reading matrices for.
constexpr int64_t minRows = 16;
/// In cycles: longer tasks lose little at barriers, and their results are
/// large.
constexpr double longTask = 800000;
/// A group is compiled to one function; LLVM's time limits its length.
constexpr size_t maxTasks = 16;

/// Blocks of whole tiles, which threads share evenly: a few each, or one.
std::optional<RowBlocks> blocksOf(int64_t rows, int64_t slots) {
  auto makes = [&](int64_t count) {
    return count > 1 && count <= rows / minRows &&
           rows % (count * rowsOfTile) == 0;
  };
  for (int64_t count = 2 * slots; count <= rows / minRows; ++count)
    if (makes(count) && (count % slots == 0 || count >= 4 * slots))
      return RowBlocks{rows, rows / count};
  if (makes(slots))
    return RowBlocks{rows, rows / slots};
  return std::nullopt;
}

/// Cycles of a kernel on tensors, roughly.
double cyclesOf(func::FuncOp kernel, const kernel::Target &target) {
  double cycles = 0;
  kernel.walk([&](Operation *op) {
    if (auto product = dyn_cast<kernel::MatmulOp>(op)) {
      auto out = cast<RankedTensorType>(product.getOut().getType());
      int64_t depth =
          cast<RankedTensorType>(product.getA().getType()).getShape().back();
      cycles += kernel::productCycles(double(out.getNumElements()) * depth,
                                      target.lanes(out.getElementType()));
    } else if (auto loops = dyn_cast<linalg::LinalgOp>(op))
      cycles += kernel::vectorCycles(loops);
  });
  return cycles;
}

/// Consecutive tasks with equal numbers of rows.
class Chain {
public:
  Chain(SymbolTable &symbols, int64_t slots)
      : symbols(&symbols), slots(slots) {}

  /// Whether the task, which comes next, is now one of these.
  bool add(plan::TaskOp task) {
    auto kernel = symbols->lookup<func::FuncOp>(task.getKernel());
    auto target = kernel::Target::of(kernel);
    std::optional<RowUses> uses = RowUses::of(kernel);
    double own = cyclesOf(kernel, target);
    if (!uses || own > longTask || tasks.size() == maxTasks)
      return false;
    if (tasks.empty() ? !blocksOf(uses->rows, slots) : uses->rows != rows)
      return false;
    int64_t results = made, others = readWhole;
    for (Type type : task.getResultTypes())
      results += graph::tensorBytes(type);
    for (auto [input, rowWise] :
         llvm::zip_equal(task.getInputs(), uses->rowWise)) {
      Value source = graph::unshaped(input);
      bool hasRows = rowWise && leadingDims(source.getType(), uses->rows);
      if (!hasRows && isMade(source))
        return false;
      others += hasRows ? 0 : graph::tensorBytes(input.getType());
    }
    if (results > slots * target.l2 || others > target.l2)
      return false;
    rows = uses->rows;
    made = results;
    readWhole = others;
    cycles += own;
    tasks.push_back(task);
    return true;
  }

  /// Makes the tasks a group if that is worthwhile, and starts again.
  void end(int64_t &taskGroups) {
    if (tasks.size() > 1 && cycles >= kernel::worthSharingCycles) {
      for (plan::TaskOp task : tasks) {
        task.setTaskGroup(taskGroups);
        task.setRowWise(true);
      }
      ++taskGroups;
    }
    *this = Chain(*symbols, slots);
  }

private:
  bool isMade(Value value) const {
    return llvm::is_contained(tasks, value.getDefiningOp<plan::TaskOp>());
  }

  SymbolTable *symbols;
  int64_t slots;
  SmallVector<plan::TaskOp> tasks;
  int64_t rows = 0;                // of each task
  int64_t made = 0, readWhole = 0; // bytes of results, and of what is read so
  double cycles = 0;
};

struct FormRowWiseGroups : impl::FormRowWiseGroupsBase<FormRowWiseGroups> {
  void runOnOperation() override {
    // With --remat memory goes before speed.
    if (attrs::remat.isOn(getOperation()))
      return;
    SymbolTable symbols(getOperation());
    int64_t taskGroups = 0;
    // A loop's regions are left alone: they may run in place of its variables.
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (attrs::entry.isOn(entry))
        formTaskGroups(entry.getBody().front(), symbols, taskGroups);
    for (auto &[name, tasks] : plan::tasksOfKernels(getOperation()))
      markKernel(symbols.lookup<func::FuncOp>(name), tasks, symbols);
  }

private:
  static void formTaskGroups(Block &block, SymbolTable &symbols,
                             int64_t &taskGroups) {
    Chain chain(symbols, slotsOf(block.getParentOp()));
    for (Operation &op : block) {
      if (isa<graph::ReshapeOp, graph::ConstantOp>(op))
        continue;
      auto task = dyn_cast<plan::TaskOp>(op);
      if (task && chain.add(task))
        continue;
      chain.end(taskGroups);
      if (task)
        chain.add(task);
    }
    chain.end(taskGroups);
  }

  /// Says of the kernel, or of a copy where other tasks run it too, by which
  /// blocks it is to be shared.
  static void markKernel(func::FuncOp kernel, ArrayRef<plan::TaskOp> tasks,
                         SymbolTable &symbols) {
    SmallVector<plan::TaskOp> rowWise;
    for (plan::TaskOp task : tasks)
      if (task.getRowWise())
        rowWise.push_back(task);
    if (rowWise.empty())
      return;
    if (rowWise.size() < tasks.size()) {
      kernel = kernel.clone();
      symbols.insert(kernel);
      for (plan::TaskOp task : rowWise)
        task.setKernel(kernel.getSymName());
    }
    auto blocks = blocksOf(RowUses::of(kernel)->rows, slotsOf(kernel));
    LLVM_DEBUG(llvm::dbgs()
               << "runs " << kernel.getSymName() << " by blocks of "
               << blocks->size << " of its " << blocks->rows << " rows\n");
    attrs::rowBlocks.set(
        kernel,
        RowBlocksAttr::get(kernel.getContext(), blocks->rows, blocks->size));
  }
};

} // namespace
} // namespace weir::bufferize
