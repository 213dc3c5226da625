// Both sides of a conditional, and the graph.if of them.

#include "compiler/import/Branches.h"

#include "compiler/import/Tracing.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir {

static LogicalResult traceBranch(TracedNode &node, Trace trace,
                                 Branch &branch) {
  OpBuilder &builder = node.tracing.builder;
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&branch.region);
  FailureOr<SmallVector<Traced>> results = trace();
  if (failed(results))
    return failure();
  SmallVector<Value> values;
  for (const Traced &result : *results)
    if (!flatten(result, values))
      return node.unsupported("a branch that gives something other than "
                              "tensors");
  branch.results = std::move(*results);
  return success();
}

LogicalResult traceBranches(TracedNode &node, Trace onTrue, Trace onFalse,
                            Branches &branches) {
  Report &report = node.tracing.report;
  Status before = report.status;
  LogicalResult first = traceBranch(node, onTrue, branches.onTrue);
  // Both branches tell what they lack.
  if (failed(first) && report.status != before)
    return failure();
  if (failed(traceBranch(node, onFalse, branches.onFalse)) || failed(first))
    return failure();
  size_t left = branches.onTrue.results.size();
  size_t right = branches.onFalse.results.size();
  if (left != right)
    return node.error() << "its branches give " << left << " and " << right
                        << " results";
  return success();
}

void yieldResults(TracedNode &node, Branch &branch) {
  SmallVector<Value> values;
  for (const Traced &result : branch.results)
    flatten(result, values);
  // Not of the block, whose region has no context before it is an op's.
  OpBuilder b(node.b.getContext());
  b.setInsertionPointToEnd(&branch.region.back());
  b.create<graph::YieldOp>(node.b.getLoc(), values);
}

SmallVector<Traced> joinBranches(TracedNode &node, Value condition,
                                 Branches &branches) {
  Branch &onTrue = branches.onTrue, &onFalse = branches.onFalse;
  OperationState state(node.b.getLoc(), graph::IfOp::getOperationName());
  state.addOperands(condition);
  state.addTypes(onTrue.region.back().getTerminator()->getOperandTypes());
  state.addRegion()->takeBody(onTrue.region);
  state.addRegion()->takeBody(onFalse.region);
  // The node's own builder can still stand in a block of a larger region.
  Operation *op = node.tracing.builder.create(state);
  SmallVector<Value> values(op->getResults());
  ArrayRef<Value> rest = values;
  SmallVector<Traced> results;
  for (const Traced &like : onTrue.results)
    results.push_back(rebuild(like, rest));
  return results;
}

} // namespace weir
