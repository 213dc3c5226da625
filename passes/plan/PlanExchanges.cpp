// Plans the operations that ranks compute together.

#include "passes/plan/Planner.h"

#include "dialects/plan/Tasks.h"
#include "dialects/plan/Work.h"

using namespace mlir;

namespace weir::plan {

bool isReadOnce(Value value) {
  while (value.hasOneUse()) {
    auto reshape = value.getDefiningOp<graph::ReshapeOp>();
    if (!reshape)
      return true;
    value = reshape.getX();
  }
  return false;
}

Value Planner::ownMemory(Value x) {
  Value data = use(x);
  Operation *maker = graph::unshaped(x).getDefiningOp();
  bool isOwn = isa_and_nonnull<plan::TaskOp, graph::ConcatOp>(maker) &&
               isReadOnce(x) &&
               Buffers::root(data).getDefiningOp<plan::BufferOp>();
  return isOwn ? data : Value();
}

void Planner::planReduceScatter(graph::ReduceScatterOp op, OpBuilder &tasks) {
  Location loc = op.getLoc();
  Value data = ownMemory(op.getX());
  if (!data) {
    data = create(loc, memrefOf(op.getX().getType()));
    copy(tasks, use(op.getX()), data);
  }
  int64_t number = exchanges.add(op);
  Value scratch = create(loc, MemRefType::get({exchanges.scratchBytes(number)},
                                              tasks.getI8Type()));
  exchange(tasks, op.getLoc(), number, data, scratch);
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
  int64_t number = exchanges.add(op);
  Value scratch =
      create(op.getLoc(), MemRefType::get({exchanges.scratchBytes(number)},
                                          tasks.getI8Type()));
  if (op->getBlock() != &entry.getBody().front())
    return exchange(tasks, op.getLoc(), number, data, scratch);
  buffers.touch(data);
  auto start = tasks.create<plan::StartOp>(op.getLoc(), number, data, scratch);
  if (inAir.empty())
    sinceProgress = 0;
  inAir.push_back({start, data, scratch});
  buffers.advance();
}

void Planner::endExchange(size_t index, OpBuilder &tasks) {
  InAir each = inAir[index];
  inAir.erase(inAir.begin() + index);
  Location loc = each.start.getLoc();
  int64_t number = each.start.getNumber();
  if (&tasks.getInsertionBlock()->back() == each.start) {
    each.start.erase();
    tasks.create<plan::ExchangeOp>(loc, number, each.data, each.scratch,
                                   /*agrees=*/false);
    return;
  }
  buffers.touch(each.data);
  buffers.touch(each.scratch);
  tasks.create<plan::WaitOp>(loc, number);
  buffers.advance();
}

void Planner::endExchangeOf(Value value, OpBuilder &tasks) {
  Value buffer = where.lookup(value);
  if (!buffer)
    return;
  auto *found = llvm::find_if(inAir, [&](const InAir &each) {
    return Buffers::root(each.data) == Buffers::root(buffer);
  });
  if (found != inAir.end())
    endExchange(found - inAir.begin(), tasks);
}

void Planner::endExchangesFor(Operation &op, OpBuilder &tasks) {
  if (inAir.empty() || isa<graph::ReshapeOp, graph::SliceOp>(op))
    return;
  auto task = dyn_cast<plan::TaskOp>(op);
  if (task && task.previousInGroup())
    return;
  SmallVector<Value> needed;
  auto need = [&](Operation *inner) {
    llvm::append_range(needed, inner->getOperands());
  };
  op.walk(need);
  for (; task; task = task.nextInGroup())
    need(task);
  // In the order in which they began.
  for (size_t i = 0; i < inAir.size();) {
    size_t before = inAir.size();
    Value root = Buffers::root(inAir[i].data);
    if (llvm::any_of(needed, [&](Value value) {
          Value buffer = where.lookup(value);
          return buffer && Buffers::root(buffer) == root;
        }))
      endExchange(i, tasks);
    i += before == inAir.size();
  }
}

void Planner::planResults(ValueRange values, ArrayRef<Value> outputs,
                          OpBuilder &tasks) {
  // The number of all-reduces that must have ended.
  auto orderOf = [&](Value value) -> size_t {
    for (auto [i, each] : llvm::enumerate(inAir))
      if (Buffers::root(each.data) == Buffers::root(where.lookup(value)))
        return i + 1;
    return 0;
  };
  SmallVector<std::pair<size_t, size_t>> order;
  for (auto [i, value] : llvm::enumerate(values))
    order.push_back({orderOf(value), i});
  llvm::sort(order);
  for (auto [last, i] : order) {
    endExchangeOf(values[i], tasks);
    copy(tasks, where.lookup(values[i]), outputs[i]);
  }
  while (!inAir.empty())
    endExchange(0, tasks);
}

void Planner::letExchangesProgress(plan::TaskOp task, OpBuilder &tasks) {
  if (!exchanges.hasMesh() || task->getBlock() != &entry.getBody().front())
    return;
  // Each time costs up to a microsecond, and a step of an all-reduce more. So
  // 256 in a run are enough for 16 or more beside each bucket of a large model,
  // and small models have few.
  constexpr int64_t least = 20000, most = 256;
  if (!untilProgress) {
    int64_t total = 0;
    for (auto each : task->getBlock()->getOps<plan::TaskOp>())
      total += nanosecondsOf(each, each.getKernelAttr()).value_or(least);
    untilProgress = std::max(least, total / most);
  }
  if (!task.previousInGroup() && !inAir.empty() &&
      sinceProgress >= untilProgress) {
    tasks.create<plan::ProgressOp>(task.getLoc());
    sinceProgress = 0;
  }
  sinceProgress +=
      nanosecondsOf(task, task.getKernelAttr()).value_or(untilProgress);
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
