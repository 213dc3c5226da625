// Kernels' arguments without elements get a type that upstream can lower.

#include "passes/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_PRUNEEMPTY
#include "passes/cpu/Passes.h.inc"

namespace {

struct PruneEmpty : impl::PruneEmptyBase<PruneEmpty> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.isExternal())
      return;
    SmallVector<Type> types;
    for (BlockArgument argument : kernel.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      // No loop over no elements is left that could read one.
      if (type && type.hasStaticShape() && type.getNumElements() == 0 &&
          argument.use_empty())
        argument.setType(MemRefType::get({0}, type.getElementType()));
      types.push_back(argument.getType());
    }
    kernel.setFunctionType(FunctionType::get(
        &getContext(), types, kernel.getFunctionType().getResults()));
  }
};

} // namespace
} // namespace weir
