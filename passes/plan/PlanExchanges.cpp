// Plans the operations that ranks compute together.

#include "passes/plan/Planner.h"

#include "dialects/plan/Tasks.h"

using namespace mlir;

namespace weir::plan {

void Planner::planAllReduce(graph::AllReduceOp op, OpBuilder &tasks) {
  Value x = op.getX(), data = use(x);
  if (x.getDefiningOp<plan::TaskOp>() && x.hasOneUse() &&
      Buffers::root(data).getDefiningOp<plan::BufferOp>()) {
    where[op] = data;
  } else {
    Value copied = define(op.getLoc(), op);
    copy(tasks, data, copied);
    data = copied;
  }
  auto type = cast<MemRefType>(data.getType());
  Value scratch = create(
      op.getLoc(), MemRefType::get({plan::bytesOf(type)}, tasks.getI8Type()));
  exchange(tasks, op, data, scratch);
}

void Planner::planMove(Operation *op, OpBuilder &tasks) {
  Value from = use(op->getOperand(0));
  exchange(tasks, op, from, define(op->getLoc(), op->getResult(0)));
}

void Planner::exchange(OpBuilder &tasks, Operation *op, Value first,
                       Value second) {
  buffers.touch(first);
  buffers.touch(second);
  tasks.create<plan::ExchangeOp>(op->getLoc(), exchanges.add(op), first, second,
                                 /*agrees=*/false);
  buffers.advance();
}

void Planner::agree(OpBuilder &tasks) {
  if (!exchanges.hasMesh() || !hasUnagreedCheck)
    return;
  hasUnagreedCheck = false;
  Location loc = entry.getLoc();
  Value code = create(loc, MemRefType::get({1}, tasks.getI64Type()));
  Value scratch = create(loc, MemRefType::get({8}, tasks.getI8Type()));
  tasks.create<plan::ExchangeOp>(loc, exchanges.addAgreement(), code, scratch,
                                 /*agrees=*/true);
  buffers.advance();
}

} // namespace weir::plan
