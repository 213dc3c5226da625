// Adds variables to a module, reads and assigns them.

#include "passes/train/Variables.h"
#include "dialects/weir/Attributes.h"

#include <utility>

using namespace mlir;
using namespace weir::graph::build;

namespace weir::train {

Variables::Variables(func::FuncOp function, bool hasFirstValues)
    : function(function), symbols(function->getParentOfType<ModuleOp>()),
      hasFirstValues(hasFirstValues) {
  auto module = function->getParentOfType<ModuleOp>();
  for (auto variable : module.getOps<graph::VariableOp>()) {
    StringRef symbol = variable.getSymName();
    symbol.consume_front("var:");
    for (StringRef name : {symbol, StringRef(variable.nameInModel()),
                           StringRef(variable.keyInCheckpoint())})
      taken.insert(name);
  }
}

graph::VariableOp Variables::add(StringRef name, RankedTensorType type,
                                 double first, Location at) {
  std::string free = name.str();
  for (unsigned i = 1; !taken.insert(free).second; ++i)
    free = name.str() + "_" + std::to_string(i);
  OpBuilder outer(function);
  ElementsAttr initial = hasFirstValues ? splatAttr(type, first) : nullptr;
  auto variable =
      outer.create<graph::VariableOp>(at, "var:" + free, type, initial,
                                      outer.getStringAttr(free), StringAttr());
  symbols.insert(variable);
  return variable;
}

func::FuncOp Variables::initializer() {
  auto module = function->getParentOfType<ModuleOp>();
  for (auto each : module.getOps<func::FuncOp>())
    if (attrs::init.isOn(each))
      return each;
  OpBuilder b(module.getContext());
  auto init =
      func::FuncOp::create(module.getLoc(), "init", b.getFunctionType({}, {}));
  attrs::entry.set(init, b.getStringAttr("init"));
  attrs::init.set(init);
  b.setInsertionPointToEnd(init.addEntryBlock());
  b.create<func::ReturnOp>(module.getLoc());
  // It is the last entry, so that the other ones keep their numbers.
  symbols.insert(init, module.getBody()->end());
  return init;
}

graph::VariableOp Variables::addMaster(graph::VariableOp of) {
  bool begins = std::exchange(hasFirstValues, false);
  RankedTensorType type =
      of.getTensorType().clone(Float32Type::get(of.getContext()));
  graph::VariableOp master =
      add((of.nameInModel() + "/master").str(), type, 0, of.getLoc());
  attrs::optimizerState.set(master);
  hasFirstValues = begins;
  if (!begins)
    return master;
  // weir-insert-init assigns the other initial values before this point.
  Operation *end = initializer().getBody().front().getTerminator();
  ImplicitLocOpBuilder b(of.getLoc(), end);
  write(master, cast(read(b, of), type.getElementType()));
  return master;
}

Expr read(ImplicitLocOpBuilder &b, graph::VariableOp variable) {
  return Expr(b, b.create<graph::ReadVariableOp>(variable.getTensorType(),
                                                 variable.getSymName()));
}

void write(graph::VariableOp variable, Expr value) {
  value.b->create<graph::WriteVariableOp>(variable.getSymName(), value.value);
}

} // namespace weir::train
