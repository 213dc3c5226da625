// Looks at the surroundings of a kernel.

#include "passes/cpu/schedule/KernelContext.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::cpu {

KernelContext KernelContext::of(Operation *kernel) {
  return {isa<func::FuncOp>(kernel->getParentOp()), RowBlocks::of(kernel),
          slotsOf(kernel)};
}

} // namespace weir::cpu
