// When an entry reads its values and assigns its variables.

#include "passes/plan/Uses.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir::plan {

Uses::Uses(func::FuncOp entry) {
  int64_t now = 0;
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    spans[op] = {now, now};
    ++now;
    if (auto read = dyn_cast<graph::ReadVariableOp>(op))
      reads[read.getVariableAttr().getAttr()].push_back(read);
    else if (auto write = dyn_cast<graph::WriteVariableOp>(op))
      writes[write.getVariableAttr().getAttr()].push_back(write);
    else if (isa<graph::AgreeOp>(op))
      agreements.push_back(now - 1);
  });
  entry.walk([&](Operation *op) {
    if (op != entry) {
      Span &around = spans[op->getParentOp()];
      around.end = std::max(around.end, spans.lookup(op).end);
    }
  });
  entry.walk([&](plan::TaskOp task) {
    if (task.previousInGroup())
      return;
    Span whole = spans[task];
    for (plan::TaskOp of = task; of; of = of.nextInGroup())
      whole.end = spans[of].end;
    for (plan::TaskOp of = task; of; of = of.nextInGroup())
      spans[of] = whole;
  });
}

/// Whether the result is a view of the operand's bytes.
static bool isViewOp(Operation *op) {
  return isa<graph::ReshapeOp, graph::SliceOp>(op);
}

int64_t Uses::lastUse(Value value, Operation *except) const {
  int64_t last = -1;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Block *block = next.getParentBlock();
    for (Operation *user : next.getUsers()) {
      if (isViewOp(user)) {
        work.push_back(user->getResult(0));
        continue;
      }
      if (user == except)
        continue;
      last = std::max(last, spans.lookup(user).end);
      // A loop reads values from outside in each iteration, so they are live
      // until it ends.
      for (Operation *around = user;
           around->getBlock() != block && around->getParentOp();
           around = around->getParentOp())
        if (isa<graph::WhileOp>(around->getParentOp()))
          last = std::max(last, spans.lookup(around->getParentOp()).end);
    }
  }
  return last;
}

bool Uses::isView(graph::ReadVariableOp read) const {
  int64_t from = spans.lookup(read).begin, to = lastUse(read);
  auto all = writes.find(read.getVariableAttr().getAttr());
  return all == writes.end() ||
         llvm::none_of(all->second, [&](graph::WriteVariableOp write) {
           int64_t at = spans.lookup(write).begin;
           return from < at && at < to;
         });
}

bool Uses::readsInPlace(plan::TaskOp task, Value read) const {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      task, task.getKernelAttr());
  auto buffers = attrs::inPlace.of(kernel);
  for (auto [i, input] : llvm::enumerate(task.getInputs())) {
    Value source = input;
    bool isWhole = true;
    while (Operation *view = source.getDefiningOp()) {
      if (!isViewOp(view))
        break;
      isWhole &= isa<graph::ReshapeOp>(view);
      source = view->getOperand(0);
    }
    if (source == read &&
        (!isWhole || !buffers || !llvm::is_contained(buffers.asArrayRef(), i)))
      return false;
  }
  return true;
}

/// The task in `block` that defines a value, or the operand of its reshapes.
static plan::TaskOp makerOf(Value &made, Block *block) {
  made = graph::unshaped(made);
  auto task = made.getDefiningOp<plan::TaskOp>();
  if (!task || task->getBlock() != block)
    return {};
  return task;
}

plan::TaskOp Uses::nextInPlace(graph::WhileOp loop, unsigned i) const {
  Block &body = loop.getBody().front();
  Value made = body.getTerminator()->getOperand(i);
  Value variable = body.getArgument(i);
  plan::TaskOp task = makerOf(made, &body);
  if (!task || made.getType() != variable.getType() ||
      !takesOver(task, variable))
    return {};
  return task;
}

bool Uses::takesOver(plan::TaskOp task, Value value) const {
  return lastUse(value, task) < spans.lookup(task).begin &&
         readsInPlace(task, value);
}

plan::TaskOp Uses::makerInPlace(graph::WriteVariableOp write) const {
  StringAttr variable = write.getVariableAttr().getAttr();
  Value made = write.getValue();
  plan::TaskOp task = makerOf(made, write->getBlock());
  if (!task)
    return {};
  int64_t begin = spans.lookup(task).begin, end = spans.lookup(write).begin;
  // Roles must agree on their checks before a variable changes.
  for (int64_t agreement : agreements)
    if (begin < agreement && agreement < end)
      return {};
  int64_t used = lastUse(made);
  for (graph::WriteVariableOp other : writes.lookup(variable)) {
    int64_t at = spans.lookup(other).begin;
    if (other != write && begin <= at && at <= used)
      return {};
  }
  for (graph::ReadVariableOp read : reads.lookup(variable)) {
    int64_t at = spans.lookup(read).begin;
    if (begin < at && at < end)
      return {};
    if (at > end || !isView(read))
      continue;
    // Tasks of a group run in parallel, so another one may read during the
    // write.
    if (lastUse(read, task) >= begin || !readsInPlace(task, read))
      return {};
  }
  return task;
}

} // namespace weir::plan
