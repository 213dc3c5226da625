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
  exchange(tasks, op.getLoc(), exchanges.add(op), data, scratch);
}

void Planner::planMove(Operation *op, OpBuilder &tasks) {
  Value from = use(op->getOperand(0));
  exchange(tasks, op->getLoc(), exchanges.add(op), from,
           define(op->getLoc(), op->getResult(0)));
}

void Planner::planSend(graph::SendOp op, OpBuilder &tasks) {
  Value data = use(op.getX());
  if (!Buffers::root(data).getDefiningOp<plan::BufferOp>()) {
    Value copied = create(op.getLoc(), cast<MemRefType>(data.getType()));
    copy(tasks, data, copied);
    data = copied;
  }
  exchange(tasks, op.getLoc(), exchanges.add(op), data, data);
}

void Planner::planRecv(graph::RecvOp op, OpBuilder &tasks) {
  Value data = define(op.getLoc(), op);
  exchange(tasks, op.getLoc(), exchanges.add(op), data, data);
}

void Planner::exchange(OpBuilder &tasks, Location loc, int64_t number,
                       Value first, Value second) {
  buffers.touch(first);
  buffers.touch(second);
  tasks.create<plan::ExchangeOp>(loc, number, first, second, /*agrees=*/false);
  buffers.advance();
}

void Planner::agreeIfChecked(OpBuilder &tasks) {
  // Roles agree where their programs say so, since each has other checks.
  if (!exchanges.hasMesh() || exchanges.isOfRole() || !hasUnagreedCheck)
    return;
  hasUnagreedCheck = false;
  agree(tasks, entry.getLoc(), /*key=*/-1);
}

void Planner::agree(OpBuilder &tasks, Location loc, int64_t key) {
  Value code = create(loc, MemRefType::get({1}, tasks.getI64Type()));
  Value scratch = create(loc, MemRefType::get({8}, tasks.getI8Type()));
  tasks.create<plan::ExchangeOp>(loc, exchanges.addAgreement(key), code,
                                 scratch, /*agrees=*/true);
  buffers.advance();
}

} // namespace weir::plan
