// Makes kept results of nodes results of their function, also those that are in
// conditionals and loops.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/build/Build.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/TensorName.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "weir-return-kept"

using namespace mlir;
using namespace weir::graph::build;

namespace weir::graph {
#define GEN_PASS_DEF_RETURNKEPT
#include "passes/graph/Passes.h.inc"

namespace {

SmallVector<graph::KeepOp> keptIn(Block &block) {
  return llvm::to_vector(block.getOps<graph::KeepOp>());
}

/// The values that a region gives to what is around it: of each op the kept
/// value and its sizes.
SmallVector<Value> operandsOf(ArrayRef<graph::KeepOp> kept) {
  SmallVector<Value> values;
  for (graph::KeepOp keep : kept)
    llvm::append_range(values, keep->getOperands());
  return values;
}

SmallVector<Value> zerosLike(ImplicitLocOpBuilder &b, ValueRange values) {
  SmallVector<Value> zeros;
  for (Value value : values)
    zeros.push_back(splat(b, typeOf(value), 0));
  return zeros;
}

/// Moves the ops behind the op around them, where they keep its results from
/// `first` on.
void moveOut(ArrayRef<graph::KeepOp> kept, Operation *around, unsigned first) {
  Operation *before = around;
  for (graph::KeepOp keep : kept) {
    keep->moveAfter(before);
    before = keep;
    for (OpOperand &operand : keep->getOpOperands())
      operand.set(around->getResult(first++));
  }
}

/// An op with the same operands, attributes and regions, and more operands and
/// results.
Operation *widen(Operation *op, ValueRange operands, TypeRange types) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addOperands(operands);
  state.addTypes(op->getResultTypes());
  state.addTypes(types);
  state.addAttributes(op->getAttrs());
  // They would be of all results.
  attrs::sizes.removeFrom(state.attributes);
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *wider = OpBuilder(op).create(state);
  op->replaceAllUsesWith(wider->getResults().take_front(op->getNumResults()));
  op->erase();
  return wider;
}

/// If the branch does not run, the results are zero.
void moveOut(graph::IfOp op) {
  SmallVector<graph::KeepOp> then = keptIn(op.getThenRegion().front());
  SmallVector<graph::KeepOp> otherwise = keptIn(op.getElseRegion().front());
  if (then.empty() && otherwise.empty())
    return;
  SmallVector<Value> own = operandsOf(then), others = operandsOf(otherwise);
  unsigned first = op->getNumResults();
  auto yield = [&](Region &region, ValueRange before, ValueRange values,
                   ValueRange after) {
    Operation *end = region.front().getTerminator();
    ImplicitLocOpBuilder b(op.getLoc(), end);
    SmallVector<Value> all = llvm::to_vector(end->getOperands());
    llvm::append_range(all, zerosLike(b, before));
    llvm::append_range(all, values);
    llvm::append_range(all, zerosLike(b, after));
    end->setOperands(all);
  };
  yield(op.getThenRegion(), {}, own, others);
  yield(op.getElseRegion(), own, others, {});
  SmallVector<Type> types(ValueRange(own).getTypes());
  llvm::append_range(types, ValueRange(others).getTypes());
  Operation *wider = widen(op, {}, types);
  moveOut(then, wider, first);
  moveOut(otherwise, wider, first + own.size());
}

/// The results are those of the last iteration, or zero without iterations.
void moveOut(graph::WhileOp op) {
  for (graph::KeepOp keep : keptIn(op.getCondition().front())) {
    keep.emitWarning("is in the condition of a loop: --keep has no result for "
                     "it");
    keep.erase();
  }
  SmallVector<graph::KeepOp> kept = keptIn(op.getBody().front());
  if (kept.empty())
    return;
  SmallVector<Value> values = operandsOf(kept);
  TypeRange types = ValueRange(values).getTypes();
  unsigned first = op->getNumResults();
  SmallVector<Location> locations(values.size(), op.getLoc());
  for (Region &region : op->getRegions())
    region.addArguments(types, locations);
  Operation *end = op.getBody().front().getTerminator();
  end->insertOperands(end->getNumOperands(), values);
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Operation *wider = widen(op, zerosLike(b, values), types);
  moveOut(kept, wider, first);
}

/// The attributes of the results of a function, and names for more of them.
class Results {
public:
  explicit Results(func::FuncOp function) : function(function) {
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      all.push_back(function.getResultAttrDict(i));
      if (StringAttr name = attrs::name.in(all.back()))
        names.insert(name.getValue());
      if (StringAttr tensor = attrs::tensor.in(all.back()))
        tensors.insert(withoutIndex(tensor.getValue()));
    }
  }

  bool has(StringRef tensor) const {
    return tensors.contains(withoutIndex(tensor));
  }

  /// Adds the value of a tensor; behind all values come their sizes.
  void add(graph::KeepOp keep) {
    StringRef tensor = keep.getTensor();
    std::string name = withoutIndex(tensor).str();
    for (unsigned i = 1; !names.insert(name).second; ++i)
      name = i == 1 ? tensor.str() : tensor.str() + "_" + std::to_string(i);
    if (keep.getShape())
      withSizes.push_back({keep, all.size(), name});
    add(keep.getValue(), name, tensor);
  }

  void finish() {
    Builder b(function.getContext());
    for (auto &[keep, number, name] : withSizes) {
      NamedAttrList list(add(keep.getShape(), name + ".shape",
                             keep.getTensor().str() + ".shape"));
      attrs::shapeOf.addTo(list, b.getI64IntegerAttr(number));
      attrs::least.addTo(list, keep.getLeastAttr());
      SmallVector<StringRef> dims(keep.getLeastAttr().size());
      attrs::dims.addTo(list, b.getStrArrayAttr(dims));
      all.back() = list.getDictionary(b.getContext());
    }
    Operation *end = function.getBody().front().getTerminator();
    end->insertOperands(end->getNumOperands(), values);
    function.setType(
        b.getFunctionType(function.getArgumentTypes(), end->getOperandTypes()));
    function.setAllResultAttrs(all);
  }

private:
  DictionaryAttr add(Value value, StringRef name, StringRef tensor) {
    Builder b(function.getContext());
    values.push_back(value);
    NamedAttrList list;
    attrs::name.addTo(list, b.getStringAttr(name));
    attrs::tensor.addTo(list, b.getStringAttr(tensor));
    return all.emplace_back(list.getDictionary(b.getContext()));
  }

  func::FuncOp function;
  SmallVector<DictionaryAttr> all;
  SmallVector<Value> values;
  llvm::StringSet<> names, tensors;
  struct Sized {
    graph::KeepOp keep;
    size_t number;
    std::string name;
  };
  SmallVector<Sized> withSizes;
};

struct ReturnKept : impl::ReturnKeptBase<ReturnKept> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        run(function);
  }

private:
  static void run(func::FuncOp function) {
    // An op comes after those in its regions.
    SmallVector<Operation *> around;
    function.walk([&](Operation *op) {
      if (isa<graph::IfOp, graph::WhileOp>(op))
        around.push_back(op);
    });
    for (Operation *op : around) {
      if (auto branch = dyn_cast<graph::IfOp>(op))
        moveOut(branch);
      else
        moveOut(cast<graph::WhileOp>(op));
    }
    // Of the steps of an unrolled loop, the last one counts.
    llvm::MapVector<StringAttr, graph::KeepOp> byTensor;
    SmallVector<graph::KeepOp> kept = keptIn(function.getBody().front());
    for (graph::KeepOp keep : kept)
      byTensor[keep.getTensorAttr()] = keep;
    if (kept.empty())
      return;
    Results results(function);
    for (auto &[tensor, keep] : byTensor)
      if (!results.has(tensor.getValue()))
        results.add(keep);
    results.finish();
    for (graph::KeepOp keep : kept)
      keep.erase();
  }
};

} // namespace
} // namespace weir::graph
