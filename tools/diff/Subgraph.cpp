// The ops between a tensor and the tensors that both sides have.

#include "tools/diff/Subgraph.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace weir::diff {

using reference::TensorRef;

namespace {

class Cutter {
public:
  Cutter(func::FuncOp function, Subgraph &subgraph,
         function_ref<bool(Value)> isKnown)
      : function(function), subgraph(subgraph), isKnown(isKnown) {}

  void visit(Value value) {
    if (isKnown(value)) {
      subgraph.inputs.insert(value);
      return;
    }
    Operation *op = value.getDefiningOp();
    if (op) {
      visit(op);
    } else if (value.getParentBlock() == &function.getBody().front()) {
      subgraph.inputs.insert(value);
    } else {
      subgraph.isClosed = false;
    }
  }

private:
  void visit(Operation *op) {
    if (subgraph.ops.contains(op))
      return;
    for (Value operand : op->getOperands())
      visit(operand);
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(op->getRegions(), outside);
    for (Value value : outside)
      visit(value);
    op->walk([&](Operation *inner) { subgraph.isClosed &= isClosed(inner); });
    subgraph.ops.insert(op);
  }

  /// Whether an op depends on its operands and the first values of variables
  /// alone.
  bool isClosed(Operation *op) {
    if (isa<func::CallOp, graph::WriteVariableOp>(op))
      return false;
    auto read = dyn_cast<graph::ReadVariableOp>(op);
    return !read || !isAssigned(read.getVariable());
  }

  bool isAssigned(StringRef variable) {
    return function->getParentOfType<ModuleOp>()
        ->walk([&](graph::WriteVariableOp write) {
          return write.getVariable() == variable ? WalkResult::interrupt()
                                                 : WalkResult::advance();
        })
        .wasInterrupted();
  }

  func::FuncOp function;
  Subgraph &subgraph;
  function_ref<bool(Value)> isKnown;
};

/// Copies the variables that the subgraph reads.
void copyVariables(const Subgraph &subgraph, ModuleOp from, ModuleOp to) {
  llvm::StringSet<> names;
  for (Operation *op : subgraph.ops)
    op->walk(
        [&](graph::ReadVariableOp read) { names.insert(read.getVariable()); });
  for (auto variable : from.getOps<graph::VariableOp>())
    if (names.contains(variable.getSymName()))
      to.push_back(variable->clone());
}

} // namespace

Subgraph subgraphOf(func::FuncOp function, Value value,
                    function_ref<bool(Value)> isKnown) {
  Subgraph subgraph;
  subgraph.result = value;
  Cutter(function, subgraph, isKnown).visit(value);
  return subgraph;
}

OwningOpRef<ModuleOp> programOf(const Subgraph &subgraph, ModuleOp module) {
  OpBuilder b(module.getContext());
  Location at = subgraph.result.getLoc();
  OwningOpRef<ModuleOp> program = ModuleOp::create(module.getLoc());
  copyVariables(subgraph, module, *program);
  b.setInsertionPointToEnd(program->getBody());
  SmallVector<Value> inputs = llvm::to_vector(subgraph.inputs);
  auto function =
      b.create<func::FuncOp>(at, "main",
                             b.getFunctionType(ValueRange(inputs).getTypes(),
                                               subgraph.result.getType()));
  Block *block = function.addEntryBlock();
  b.setInsertionPointToEnd(block);
  IRMapping map;
  map.map(ValueRange(inputs), block->getArguments());
  for (Operation *op : subgraph.ops)
    b.clone(*op, map);
  // Kept results would be further outputs.
  function.walk([](graph::KeepOp keep) { keep.erase(); });
  b.create<func::ReturnOp>(at, map.lookup(subgraph.result));
  return program;
}

/// The tensor with this type. A file may have floats of another width.
static TensorRef withType(const TensorRef &tensor, Type wanted) {
  auto type = cast<RankedTensorType>(wanted);
  if (!tensor || tensor->type() == type)
    return tensor;
  bool isWide = tensor->isFloat() && isa<FloatType>(type.getElementType()) &&
                tensor->shape() == type.getShape();
  return isWide ? std::make_shared<reference::Tensor>(tensor->reshaped(type))
                : nullptr;
}

TensorRef evaluateSubgraph(const Subgraph &subgraph, ModuleOp module,
                           ArrayRef<TensorRef> inputs,
                           reference::Limits limits) {
  if (!subgraph.isClosed)
    return nullptr;
  SmallVector<TensorRef> operands;
  for (auto [value, tensor] : llvm::zip_equal(subgraph.inputs, inputs)) {
    operands.push_back(withType(tensor, value.getType()));
    if (!operands.back())
      return nullptr;
  }
  OwningOpRef<ModuleOp> program = programOf(subgraph, module);
  reference::Interpreter interpreter(*program, limits);
  auto results =
      interpreter.run(program->lookupSymbol<func::FuncOp>("main"), operands);
  if (results)
    return results->front();
  llvm::consumeError(results.takeError());
  return nullptr;
}

} // namespace weir::diff
