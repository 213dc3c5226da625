// Merges two loops with equal trip counts, so that their tasks can share
// parallel regions.
//
// Each task of a loop depends on the one before, so a single loop has no
// independent tasks to group. The two directions of a bidirectional recurrent
// net are such loops: neither depends on the other, and the merged loop pairs
// their tasks.

#include "passes/plan/Passes.h"

#include "passes/plan/Tasks.h"

#include "dialects/graph/Graph.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-join-loops"

using namespace mlir;

namespace weir::plan {
#define GEN_PASS_DEF_JOINLOOPS
#include "passes/plan/Passes.h.inc"

namespace {

/// A loop whose trip count depends only on its first variable, the counter.
struct CountedLoop {
  graph::WhileOp loop;
  plan::TaskOp condition, step; // the tasks that compute them from the counter

  static std::optional<CountedLoop> of(graph::WhileOp loop) {
    Block &condition = loop.getCondition().front();
    Block &body = loop.getBody().front();
    if (body.getNumArguments() == 0)
      return std::nullopt;
    auto taskOf = [](Value value, BlockArgument counter) {
      auto task = value.getDefiningOp<plan::TaskOp>();
      bool counts = task && !task.getTaskGroup() &&
                    task->getNumResults() == 1 &&
                    task->getBlock() == counter.getOwner() &&
                    llvm::equal(task->getOperands(), ValueRange(counter));
      return counts ? task : plan::TaskOp();
    };
    CountedLoop counted{
        loop,
        taskOf(condition.getTerminator()->getOperand(0),
               condition.getArgument(0)),
        taskOf(body.getTerminator()->getOperand(0), body.getArgument(0))};
    if (!counted.condition || !counted.step ||
        std::next(condition.begin(), 2) != condition.end())
      return std::nullopt;
    return counted;
  }

  Value begin() { return loop.getInits()[0]; }

  bool hasRoundsOf(CountedLoop &other) {
    return begin() == other.begin() &&
           condition.getKernelAttr() == other.condition.getKernelAttr() &&
           step.getKernelAttr() == other.step.getKernelAttr();
  }

  /// The nanoseconds of one iteration, or -1 if a task of it is not small.
  int64_t time(SymbolTable &symbols) {
    int64_t total = 0;
    for (Operation &op : loop.getBody().front().without_terminator()) {
      int64_t time = TaskTime::of(&op, symbols).total;
      if (time < 0 || time > smallTask)
        return -1;
      total += time;
    }
    return total;
  }
};

/// The ops between `loop` and `later` on which `later` depends, in order. No
/// value if one of them depends on the loop, or cannot move.
std::optional<SmallVector<Operation *>>
neededBetween(Operation *loop, Operation *later, SymbolTable &symbols) {
  SetVector<Operation *> needed;
  needed.insert(later);
  SmallVector<Operation *> moved;
  for (Operation *op = later; op != loop; op = op->getPrevNode()) {
    if (!needed.contains(op))
      continue;
    if (op != later) {
      auto task = dyn_cast<plan::TaskOp>(op);
      if (!TaskTime::of(op, symbols).isKnown() || (task && task.getTaskGroup()))
        return std::nullopt;
      moved.push_back(op);
    }
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *definition = operand.getDefiningOp();
            definition && definition->getBlock() == loop->getBlock())
          needed.insert(definition);
    });
  }
  if (needed.contains(loop))
    return std::nullopt;
  return SmallVector<Operation *>(llvm::reverse(moved));
}

/// Appends the variables and the body of `later` to those of `first`.
void join(CountedLoop &first, CountedLoop &later) {
  graph::WhileOp one = first.loop, other = later.loop;
  SmallVector<Value> inits(one.getInits());
  llvm::append_range(inits, other.getInits().drop_front());
  OpBuilder b(one);
  auto joined = b.create<graph::WhileOp>(one.getLoc(),
                                         ValueRange(inits).getTypes(), inits);
  joined.getCondition().takeBody(one.getCondition());
  joined.getBody().takeBody(one.getBody());
  Block &condition = joined.getCondition().front();
  Block &body = joined.getBody().front(), &from = other.getBody().front();
  IRMapping mapping;
  mapping.map(from.getArgument(0), body.getArgument(0));
  mapping.map(later.step->getResult(0), first.step->getResult(0));
  for (BlockArgument argument : from.getArguments().drop_front()) {
    condition.addArgument(argument.getType(), argument.getLoc());
    mapping.map(argument,
                body.addArgument(argument.getType(), argument.getLoc()));
  }
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  for (Operation &op : from.without_terminator())
    if (&op != later.step)
      b.clone(op, mapping);
  SmallVector<Value> next(end->getOperands());
  for (Value value : from.getTerminator()->getOperands().drop_front())
    next.push_back(mapping.lookupOrDefault(value));
  end->setOperands(next);
  unsigned own = one->getNumResults();
  one->replaceAllUsesWith(joined->getResults().take_front(own));
  other.getResult(0).replaceAllUsesWith(joined.getResult(0));
  for (auto [was, now] : llvm::zip_equal(other->getResults().drop_front(),
                                         joined->getResults().drop_front(own)))
    was.replaceAllUsesWith(now);
  one->erase();
  other->erase();
  first.loop = joined;
}

struct JoinLoops : impl::JoinLoopsBase<JoinLoops> {
  void runOnOperation() override {
    SmallVector<Block *> blocks = blocksForThreads(getOperation());
    SymbolTable symbols(getOperation());
    for (Block *block : blocks)
      joinLoops(*block, symbols);
  }

private:
  static void joinLoops(Block &block, SymbolTable &symbols) {
    std::optional<CountedLoop> before;
    for (auto loop : llvm::make_early_inc_range(block.getOps<graph::WhileOp>()))
      if (auto counted = CountedLoop::of(loop);
          counted && counted->time(symbols) >= worthSharing) {
        if (!before || !joinsWith(*before, *counted, symbols))
          before = counted;
      }
  }

  static bool joinsWith(CountedLoop &first, CountedLoop &later,
                        SymbolTable &symbols) {
    if (!first.hasRoundsOf(later))
      return false;
    auto needed = neededBetween(first.loop, later.loop, symbols);
    if (!needed)
      return false;
    LLVM_DEBUG(llvm::dbgs() << "joins the loop at " << later.loop.getLoc()
                            << " with that at " << first.loop.getLoc() << "\n");
    for (Operation *op : *needed)
      op->moveBefore(first.loop);
    join(first, later);
    return true;
  }
};

} // namespace
} // namespace weir::plan
