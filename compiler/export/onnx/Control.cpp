// Conditionals and loops, whose regions become graphs in a node.

#include "compiler/export/onnx/Ops.h"

#include "dialects/graph/Graph.h"

using namespace mlir;
using namespace weir::graph;

namespace weir::to_onnx {
namespace {

/// Adds the last tensor that was described to the outputs of the graph instead.
void makeOutput(::onnx::GraphProto &graph) {
  auto &infos = *graph.mutable_value_info();
  *graph.add_output() = infos.Get(infos.size() - 1);
  infos.RemoveLast();
}

/// A node in this graph computes each output, so that none is of an outer one.
void addOutputs(Writer &w, ValueRange values) {
  for (Value value : values) {
    Tensor tensor = w.whole(value);
    w.node("Identity", tensor).result(tensor.shape, tensor.element);
    makeOutput(w.graph());
  }
}

Tensor addInput(Writer &w, StringRef name, ArrayRef<int64_t> shape,
                Type element) {
  Tensor tensor{w.nameTensor(name), Sizes(shape), element};
  w.describe(tensor);
  auto &infos = *w.graph().mutable_value_info();
  *w.graph().add_input() = infos.Get(infos.size() - 1);
  infos.RemoveLast();
  return tensor;
}

void holdResults(Writer &w, Operation *op, Node &node) {
  for (Value result : op->getResults()) {
    RankedTensorType type = typeOf(result);
    w.hold(result, node.result(type.getShape(), type.getElementType()));
  }
}

void writeBranch(Writer &w, ::onnx::GraphProto &graph, Block &block) {
  Operation *op = w.current;
  w.enter(&graph);
  writeOps(w, block);
  w.current = op;
  addOutputs(w, block.getTerminator()->getOperands());
  w.leave();
}

LogicalResult writeIf(Writer &w, IfOp op) {
  Tensor condition = w.whole(op.getCondition());
  Node node = w.node("If", condition);
  writeBranch(w, node.setGraph("then_branch"), op.getThenRegion().front());
  writeBranch(w, node.setGraph("else_branch"), op.getElseRegion().front());
  holdResults(w, op, node);
  return success();
}

/// The condition for these values of the variables, in the current graph.
Tensor writeCondition(Writer &w, WhileOp op, ValueRange variables) {
  Block &block = op.getCondition().front();
  w.enter(nullptr);
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), variables))
    w.hold(argument, w.viewOf(value));
  writeOps(w, block);
  w.current = op;
  Tensor condition = w.whole(block.getTerminator()->getOperand(0));
  w.leave();
  return condition;
}

/// The body of a loop of ONNX computes the next condition, too.
void writeBody(Writer &w, WhileOp op, ::onnx::GraphProto &graph) {
  Block &block = op.getBody().front();
  w.enter(&graph);
  addInput(w, "iteration", {}, w.builder().getI64Type());
  addInput(w, "condition", {}, w.builder().getI1Type());
  for (BlockArgument argument : block.getArguments()) {
    RankedTensorType type = typeOf(argument);
    w.hold(argument,
           addInput(w, "variable", type.getShape(), type.getElementType()));
  }
  writeOps(w, block);
  w.current = op;
  ValueRange next = block.getTerminator()->getOperands();
  Tensor condition = writeCondition(w, op, next);
  w.node("Identity", condition).result({}, condition.element);
  makeOutput(graph);
  addOutputs(w, next);
  w.leave();
}

LogicalResult writeWhile(Writer &w, WhileOp op) {
  // The number of iterations has no limit.
  SmallVector<Tensor> operands = {Tensor(),
                                  writeCondition(w, op, op.getInits())};
  for (Value init : op.getInits())
    operands.push_back(w.whole(init));
  Node node = w.node("Loop", operands);
  writeBody(w, op, node.setGraph("body"));
  holdResults(w, op, node);
  return success();
}

} // namespace

void addControl(OpWriters &writers) {
  addWriter<IfOp, writeIf>(writers);
  addWriter<WhileOp, writeWhile>(writers);
}

} // namespace weir::to_onnx
