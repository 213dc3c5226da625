// The ops between a tensor and the tensors that both sides have.

#include "tools/diff/Slice.h"

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

class Slicer {
public:
  Slicer(func::FuncOp function, Slice &slice, function_ref<bool(Value)> isKnown)
      : function(function), slice(slice), isKnown(isKnown) {}

  void visit(Value value) {
    if (isKnown(value)) {
      slice.inputs.insert(value);
      return;
    }
    Operation *op = value.getDefiningOp();
    if (op) {
      visit(op);
    } else if (value.getParentBlock() == &function.getBody().front()) {
      slice.inputs.insert(value);
    } else {
      slice.isClosed = false;
    }
  }

private:
  void visit(Operation *op) {
    if (slice.ops.contains(op))
      return;
    for (Value operand : op->getOperands())
      visit(operand);
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(op->getRegions(), outside);
    for (Value value : outside)
      visit(value);
    op->walk([&](Operation *inner) { slice.isClosed &= isClosed(inner); });
    slice.ops.insert(op);
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
  Slice &slice;
  function_ref<bool(Value)> isKnown;
};

/// Copies the variables that the slice reads.
void copyVariables(const Slice &slice, ModuleOp from, ModuleOp to) {
  llvm::StringSet<> names;
  for (Operation *op : slice.ops)
    op->walk(
        [&](graph::ReadVariableOp read) { names.insert(read.getVariable()); });
  for (auto variable : from.getOps<graph::VariableOp>())
    if (names.contains(variable.getSymName()))
      to.push_back(variable->clone());
}

} // namespace

Slice sliceOf(func::FuncOp function, Value value,
              function_ref<bool(Value)> isKnown) {
  Slice slice;
  slice.result = value;
  Slicer(function, slice, isKnown).visit(value);
  return slice;
}

OwningOpRef<ModuleOp> programOf(const Slice &slice, ModuleOp module) {
  OpBuilder b(module.getContext());
  Location at = slice.result.getLoc();
  OwningOpRef<ModuleOp> program = ModuleOp::create(module.getLoc());
  copyVariables(slice, module, *program);
  b.setInsertionPointToEnd(program->getBody());
  SmallVector<Value> inputs = llvm::to_vector(slice.inputs);
  auto function = b.create<func::FuncOp>(
      at, "main",
      b.getFunctionType(ValueRange(inputs).getTypes(), slice.result.getType()));
  Block *block = function.addEntryBlock();
  b.setInsertionPointToEnd(block);
  IRMapping map;
  map.map(ValueRange(inputs), block->getArguments());
  for (Operation *op : slice.ops)
    b.clone(*op, map);
  // Kept results would be further outputs.
  function.walk([](graph::KeepOp keep) { keep.erase(); });
  b.create<func::ReturnOp>(at, map.lookup(slice.result));
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

TensorRef evaluateSlice(const Slice &slice, ModuleOp module,
                        ArrayRef<TensorRef> inputs, reference::Limits limits) {
  if (!slice.isClosed)
    return nullptr;
  SmallVector<TensorRef> operands;
  for (auto [value, tensor] : llvm::zip_equal(slice.inputs, inputs)) {
    operands.push_back(withType(tensor, value.getType()));
    if (!operands.back())
      return nullptr;
  }
  OwningOpRef<ModuleOp> program = programOf(slice, module);
  reference::Interpreter interpreter(*program, limits);
  auto results =
      interpreter.run(program->lookupSymbol<func::FuncOp>("main"), operands);
  if (results)
    return results->front();
  llvm::consumeError(results.takeError());
  return nullptr;
}

} // namespace weir::diff
