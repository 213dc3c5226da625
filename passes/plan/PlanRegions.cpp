// Plans conditionals and loops.

#include "passes/plan/Planner.h"

using namespace mlir;

namespace weir::plan {

LogicalResult Planner::planIf(graph::IfOp op, OpBuilder &tasks) {
  auto branch = tasks.create<plan::IfOp>(op.getLoc(), use(op.getCondition()));
  SmallVector<Value> results;
  buffers.advance();
  for (Value result : op.getResults())
    results.push_back(define(op.getLoc(), result));
  for (auto [from, to] :
       {std::make_pair(&op.getThenRegion(), &branch.getThenRegion()),
        std::make_pair(&op.getElseRegion(), &branch.getElseRegion())}) {
    OpBuilder inner = OpBuilder::atBlockEnd(&to->emplaceBlock());
    OperandRange values = from->front().getTerminator()->getOperands();
    // Each branch computes its results in the buffers of the conditional's
    // results.
    for (auto [value, result] : llvm::zip_equal(values, results))
      makeAt(value, result, from->front());
    if (failed(planBlock(from->front(), inner)))
      return failure();
    for (auto [value, result] : llvm::zip_equal(values, results))
      copy(inner, use(value), result);
  }
  return success();
}

LogicalResult Planner::planWhile(graph::WhileOp op, OpBuilder &tasks) {
  int64_t start = buffers.now();
  SmallVector<Value> variables;
  for (auto [init, result] : llvm::zip_equal(op.getInits(), op.getResults())) {
    Value variable = define(op.getLoc(), result);
    variables.push_back(variable);
    copy(tasks, use(init), variable);
  }
  Value condition = create(op.getLoc(), MemRefType::get({}, tasks.getI1Type()));
  auto loop = tasks.create<plan::WhileOp>(op.getLoc(), condition);
  for (Region *region : {&op.getCondition(), &op.getBody()})
    for (auto [argument, variable] :
         llvm::zip_equal(region->getArguments(), variables))
      where[argument] = variable;

  OpBuilder before = OpBuilder::atBlockEnd(&loop.getBefore().emplaceBlock());
  if (failed(planBlock(op.getCondition().front(), before)))
    return failure();
  copy(before, use(op.getCondition().front().getTerminator()->getOperand(0)),
       condition);

  Block &round = op.getBody().front();
  for (auto [i, variable] : llvm::enumerate(variables))
    makeInPlace(uses.nextInPlace(op, i), round.getTerminator()->getOperand(i),
                variable, round);
  OpBuilder body = OpBuilder::atBlockEnd(&loop.getBody().emplaceBlock());
  if (failed(planBlock(round, body)))
    return failure();
  // All next values are read before any variable changes.
  SmallVector<Value> next;
  DenseSet<Value> changed(variables.begin(), variables.end());
  for (auto [value, variable] :
       llvm::zip_equal(round.getTerminator()->getOperands(), variables)) {
    Value from = use(value);
    if (from != variable && changed.contains(Buffers::root(from))) {
      Value held = create(op.getLoc(), cast<MemRefType>(from.getType()));
      copy(body, from, held);
      from = held;
    }
    next.push_back(from);
  }
  for (auto [from, variable] : llvm::zip_equal(next, variables))
    copy(body, from, variable);

  // Values from outside of the loop stay live until its end, as each iteration
  // reads them.
  variables.push_back(condition);
  buffers.keep(start, variables);
  buffers.advance();
  return success();
}

} // namespace weir::plan
