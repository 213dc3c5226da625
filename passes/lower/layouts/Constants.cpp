// The constants that tasks give to an argument of their kernel.

#include "passes/lower/layouts/Constants.h"

#include "dialects/graph/packed/Float16Constants.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::lower {

bool hasBytes(ElementsAttr value) {
  return llvm::all_of(PartsAttr::of(value), [](ElementsAttr part) {
    return rawBytes(part).has_value();
  });
}

std::optional<SmallVector<graph::ConstantOp>>
constantsFor(BlockArgument argument, ArrayRef<plan::TaskOp> callers) {
  SmallVector<graph::ConstantOp> constants;
  unsigned index = argument.getArgNumber();
  for (plan::TaskOp task : callers) {
    if (index >= task->getNumOperands())
      return std::nullopt;
    auto constant = task->getOperand(index).getDefiningOp<graph::ConstantOp>();
    if (!constant || !hasBytes(constant.getValue()) ||
        constant.getType() != argument.getType())
      return std::nullopt;
    constants.push_back(constant);
  }
  return constants;
}

void forEachKernel(
    ModuleOp module,
    function_ref<void(func::FuncOp, ArrayRef<plan::TaskOp>)> visit) {
  for (auto &[name, callers] : plan::tasksOfKernels(module))
    if (auto kernel = module.lookupSymbol<func::FuncOp>(name);
        kernel && !attrs::gemm.isOn(kernel) && !attrs::attention.isOn(kernel))
      visit(kernel, callers);
}

} // namespace weir::lower
