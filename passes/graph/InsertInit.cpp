// Turns initial values of variables into assignments of an entry.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#define DEBUG_TYPE "weir-insert-init"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_INSERTINIT
#include "passes/graph/Passes.h.inc"

namespace {

struct InsertInit : impl::InsertInitBase<InsertInit> {
  void runOnOperation() override {
    SmallVector<graph::VariableOp> variables;
    for (auto variable : getOperation().getOps<graph::VariableOp>())
      if (variable.getInitial())
        variables.push_back(variable);
    if (variables.empty())
      return;
    func::FuncOp init = findInit();
    OpBuilder b = OpBuilder::atBlockBegin(&init.getBody().front());
    for (graph::VariableOp variable : variables) {
      Value value = b.create<graph::ConstantOp>(variable.getLoc(),
                                                *variable.getInitial());
      b.create<graph::WriteVariableOp>(variable.getLoc(), variable.getSymName(),
                                       value);
      variable.removeInitialAttr();
    }
  }

private:
  func::FuncOp findInit() {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>())
      if (attrs::init.isOn(function))
        return function;
    OpBuilder b(module.getContext());
    auto init = func::FuncOp::create(module.getLoc(), "init",
                                     b.getFunctionType({}, {}));
    attrs::entry.set(init, b.getStringAttr("init"));
    attrs::init.set(init);
    b.setInsertionPointToEnd(init.addEntryBlock());
    b.create<func::ReturnOp>(module.getLoc());
    // It is the last entry, so that the other ones keep their numbers.
    SymbolTable(module).insert(init, module.getBody()->end());
    return init;
  }
};

} // namespace
} // namespace weir::graph
