// Moves the kernels that the host of a GPU runs to the module of the entries.

#include "passes/entry/HostKernels.h"

#include "dialects/plan/Plan.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace weir::entry {

LogicalResult takeHostKernels(ModuleOp module) {
  auto host = module.lookupSymbol<ModuleOp>(plan::hostKernels);
  if (!host)
    return success();
  SymbolTable symbols(module);
  for (Operation &op : llvm::make_early_inc_range(*host.getBody())) {
    StringAttr name = SymbolTable::getSymbolName(&op);
    // Both modules may declare the same function.
    if (Operation *other = symbols.lookup(name)) {
      auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      if (!function || !function.isExternal() || !isa<LLVM::LLVMFuncOp>(other))
        return op.emitError("is defined twice");
      op.erase();
      continue;
    }
    op.remove();
    symbols.insert(&op);
  }
  host.erase();
  return success();
}

} // namespace weir::entry
