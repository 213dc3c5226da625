// Conditionals, whose branches are graphs that see the values around them.

#include "compiler/import/onnx/control/Control.h"

using namespace mlir;

namespace weir::onnx {

static LogicalResult importIf(Node &node) {
  FailureOr<Value> condition = truth(node, node.traced(0));
  auto *onTrue = node.graphAttr("then_branch");
  auto *onFalse = node.graphAttr("else_branch");
  if (failed(condition))
    return failure();
  if (!onTrue || !onFalse)
    return node.missing(onTrue ? "else_branch" : "then_branch");
  auto branch = [&](::onnx::GraphProto *graph) {
    return [&node, graph] { return node.tracer.traceInner(node, *graph, {}); };
  };
  auto results = buildIf(node, *condition, branch(onTrue), branch(onFalse));
  return failed(results) ? failure() : node.tracedResults(std::move(*results));
}

void addControlHandlers(Handlers &handlers) {
  handlers["If"] = {importIf, Takes::anything};
}

} // namespace weir::onnx
