// Adds variables to a module, reads and assigns them.

#include "passes/train/Variables.h"

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

Expr read(ImplicitLocOpBuilder &b, graph::VariableOp variable) {
  return Expr(b, b.create<graph::ReadVariableOp>(variable.getTensorType(),
                                                 variable.getSymName()));
}

void write(graph::VariableOp variable, Expr value) {
  value.b->create<graph::WriteVariableOp>(variable.getSymName(), value.value);
}

} // namespace weir::train
