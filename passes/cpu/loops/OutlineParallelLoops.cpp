// Outlines each kernel.parallel to a kernel of its own, whose work items
// threads share.

#include "passes/cpu/Passes.h"

#include "passes/cpu/loops/Steps.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Phases.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_OUTLINEPARALLELLOOPS
#include "passes/cpu/Passes.h.inc"

namespace {

constexpr int anyPhase = -1;

/// The phase that makes what an op without effects uses: the op belongs there.
/// Of several the last; splitBody then finds an operand of another phase.
int phaseOfOperands(Operation &op, const DenseMap<Operation *, int> &phaseOf) {
  int phase = anyPhase;
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      auto found = phaseOf.find(operand.getDefiningOp());
      if (found != phaseOf.end())
        phase = std::max(phase, found->second);
    }
  });
  return phase;
}

/// The phase of each op of the body, and how many there are; none where an op
/// needs a value that another phase computes.
std::optional<int> splitBody(Block &body, SmallVectorImpl<int> &phases) {
  int last = -1;
  bool open = false; // whether the last phase takes more ops
  DenseMap<Operation *, int> phaseOf;
  for (Operation &op : body.without_terminator()) {
    if (isa<kernel::ParallelOp>(op)) {
      phases.push_back(++last);
      open = false;
    } else if (isMemoryEffectFree(&op)) {
      phases.push_back(phaseOfOperands(op, phaseOf));
    } else {
      last += !open;
      open = true;
      phases.push_back(last);
    }
    phaseOf[&op] = phases.back();
  }
  for (Operation &op : body.without_terminator()) {
    int maker = phaseOf.lookup(&op);
    for (Operation *user : op.getUsers()) {
      Operation *here = body.findAncestorOpInBlock(*user);
      if (maker != anyPhase && phaseOf.lookup(here) != maker)
        return std::nullopt;
    }
  }
  return last + 1;
}

/// The region's ops in place of the op.
void inlineLoop(kernel::ParallelOp loop, ValueRange arguments) {
  Block &body = loop.getBody().front();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    argument.replaceAllUsesWith(value);
  loop->getBlock()->getOperations().splice(loop->getIterator(),
                                           body.getOperations());
  loop.erase();
}

void inlineWhole(kernel::ParallelOp loop) {
  OpBuilder b(loop);
  Value zero = b.create<arith::ConstantIndexOp>(loop.getLoc(), 0);
  Value count =
      b.create<arith::ConstantIndexOp>(loop.getLoc(), loop.getCount());
  inlineLoop(loop, {zero, count, zero});
}

/// The kernel with only the ops of one phase, beside those of any.
func::FuncOp makePhase(func::FuncOp kernel, ArrayRef<int> phases, int phase,
                       SymbolTable &symbols) {
  func::FuncOp clone = kernel.clone();
  clone.setName(plan::phaseName(kernel.getName(), phase));
  symbols.insert(clone, kernel->getIterator());
  if (attrs::profile.isOn(kernel->getParentOfType<ModuleOp>()))
    attrs::phase.set(clone, phase);
  SmallVector<Operation *> others;
  kernel::ParallelOp loop;
  for (auto [op, itsPhase] :
       llvm::zip(clone.getBody().front().without_terminator(), phases)) {
    if (itsPhase != phase && itsPhase != anyPhase)
      others.push_back(&op);
    else if (itsPhase == phase && isa<kernel::ParallelOp>(op))
      loop = cast<kernel::ParallelOp>(op);
  }
  for (Operation *op : llvm::reverse(others))
    op->erase();
  if (loop) {
    unsigned count = clone.getNumArguments();
    for (int i = 0; i < 3; ++i)
      clone.insertArgument(count + i, IndexType::get(clone.getContext()), {},
                           clone.getLoc());
    inlineLoop(loop, clone.getArguments().take_back(3));
  }
  return clone;
}

struct OutlineParallelLoops
    : impl::OutlineParallelLoopsBase<OutlineParallelLoops> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    Phases phasesOf;
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (attrs::kernel.isOn(kernel))
        split(kernel, symbols, phasesOf);
    SmallVector<plan::RunOp> runs;
    getOperation().walk([&](plan::RunOp run) { runs.push_back(run); });
    int64_t taskGroups = 0;
    for (size_t i = 0; i < runs.size();) {
      SmallVector<plan::RunOp> taskGroup = {runs[i]};
      while (plan::RunOp next = taskGroup.back().nextInGroup())
        taskGroup.push_back(next);
      i += taskGroup.size();
      replace(taskGroup, phasesOf, taskGroups);
    }
    for (const auto &entry : phasesOf)
      symbols.erase(symbols.lookup(entry.first()));
  }

private:
  /// A run outside of groups is handled like a group of one.
  static void replace(ArrayRef<plan::RunOp> taskGroup, Phases &phasesOf,
                      int64_t &taskGroups) {
    SmallVector<Step> steps = stepsOf(taskGroup, phasesOf);
    OpBuilder b(taskGroup.front()->getContext());
    b.setInsertionPointAfter(taskGroup.back());
    for (auto &step : steps) {
      IntegerAttr number =
          step.size() > 1 ? b.getI64IntegerAttr(taskGroups++) : IntegerAttr();
      for (auto [run, phase, items] : step) {
        auto now = cast<plan::RunOp>(b.clone(*run));
        now.setTaskGroupAttr(number);
        if (items)
          now.setItems(items);
        now.setRowWise(number && run.getRowWise());
        if (phase)
          now.setKernel(phase->kernel.getName());
        if (!phase || !phase->loop)
          continue;
        // The remaining attributes are for the op that runs the work items.
        now->setDiscardableAttrs(phase->loop->getDiscardableAttrDictionary());
        now.setWorkItems(phase->loop.getCount());
        now.setSlots(phase->loop.getSlots());
        now.setCoarse(phase->loop.getCoarse());
      }
    }
    for (plan::RunOp run : taskGroup)
      run->erase();
  }

  static void split(func::FuncOp kernel, SymbolTable &symbols,
                    Phases &phasesOf) {
    Block &body = kernel.getBody().front();
    if (body.getOps<kernel::ParallelOp>().empty())
      return;
    SmallVector<int> phases;
    std::optional<int> count = splitBody(body, phases);
    // The host of a GPU has one thread for its part of a model.
    if (!count || attrs::host.isOn(kernel)) {
      for (auto loop :
           llvm::make_early_inc_range(body.getOps<kernel::ParallelOp>()))
        inlineWhole(loop);
      return;
    }
    SmallVector<Phase> &made = phasesOf[kernel.getName()];
    for (int phase = 0; phase < *count; ++phase)
      made.push_back({makePhase(kernel, phases, phase, symbols), {}});
    for (auto [op, phase] : llvm::zip(body.without_terminator(), phases))
      if (auto loop = dyn_cast<kernel::ParallelOp>(op))
        made[phase].loop = loop;
  }
};

} // namespace
} // namespace weir::cpu
