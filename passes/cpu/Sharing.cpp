// Rough costs of loops as the vectorizer emits them.

#include "passes/cpu/Sharing.h"

#include "passes/cpu/loops/LoopNest.h"

using namespace mlir;

namespace weir::cpu {

double loopCycles(linalg::LinalgOp op) {
  double bytes = 0;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      bytes += double(type.getNumElements()) *
               llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return std::max(kernel::movingCycles(bytes), LoopNest(op).applies()
                                                   ? kernel::vectorCycles(op)
                                                   : kernel::scalarCycles(op));
}

} // namespace weir::cpu
