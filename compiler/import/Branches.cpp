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
  // Errors of one side are none where the other one fits.
  std::vector<Diagnostic> errors;
  Status worst = before;
  auto traced = [&](Trace trace, Branch &branch) {
    size_t said = errors.size();
    LogicalResult outcome = failure();
    {
      ScopedDiagnosticHandler listener(
          report.context, [&](Diagnostic &diagnostic) {
            if (!branches.mayMisfit ||
                diagnostic.getSeverity() != DiagnosticSeverity::Error)
              return failure();
            errors.push_back(std::move(diagnostic));
            return success();
          });
      outcome = traceBranch(node, trace, branch);
    }
    if (errors.size() > said && report.status == Status::badInput)
      branch.misfit = errors[said].str();
    if (report.status != before)
      worst = report.status;
    if (errors.size() > said)
      report.status = before;
    return outcome;
  };
  LogicalResult first = traced(onTrue, branches.onTrue), second = failure();
  // Both branches tell what they lack.
  bool goesOn = succeeded(first) || report.status == before;
  if (goesOn)
    second = traced(onFalse, branches.onFalse);
  bool isMisfit = (succeeded(first) && !branches.onFalse.misfit.empty()) ||
                  (succeeded(second) && !branches.onTrue.misfit.empty());
  if (isMisfit)
    return success();
  for (Diagnostic &error : errors)
    report.context->getDiagEngine().emit(std::move(error));
  if (!errors.empty())
    report.status = worst;
  if (failed(first) || failed(second))
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
