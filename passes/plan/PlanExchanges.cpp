// Plans the operations that ranks compute together.

#include "passes/plan/Planner.h"

#include "dialects/plan/Tasks.h"

using namespace mlir;

namespace weir::plan {

/// The memory of a tensor that an exchange may overwrite; null if it is needed
/// later, or is not in the arena.
Value Planner::ownMemory(Value x) {
  Value data = use(x);
  bool isOwn = x.getDefiningOp<plan::TaskOp>() && x.hasOneUse() &&
               Buffers::root(data).getDefiningOp<plan::BufferOp>();
  return isOwn ? data : Value();
}

void Planner::planReduceScatter(graph::ReduceScatterOp op, OpBuilder &tasks) {
  Location loc = op.getLoc();
  Value data = ownMemory(op.getX());
  if (!data) {
    Value copied = create(loc, memrefOf(op.getX().getType()));
    copy(tasks, use(op.getX()), copied);
    data = copied;
  }
  // At most half of the tensor arrives in a step.
  int64_t bytes = plan::bytesOf(cast<MemRefType>(data.getType()));
  Value scratch = create(
      loc, MemRefType::get({llvm::divideCeil(bytes, 2)}, tasks.getI8Type()));
  exchange(tasks, loc, exchanges.add(op), data, scratch);
  exchange(tasks, loc, exchanges.addOwnPart(op), data, define(loc, op));
}

void Planner::planAllReduce(graph::AllReduceOp op, OpBuilder &tasks) {
  Value data = ownMemory(op.getX());
  if (data) {
    where[op] = data;
  } else {
    Value copied = define(op.getLoc(), op);
    copy(tasks, use(op.getX()), copied);
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

void Planner::exchange(OpBuilder &tasks, Location loc, int64_t number,
                       Value first, Value second) {
  buffers.touch(first);
  buffers.touch(second);
  tasks.create<plan::ExchangeOp>(loc, number, first, second,
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
