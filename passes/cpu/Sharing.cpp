// Rough costs of loops as the vectorizer emits them.

#include "passes/cpu/Sharing.h"

#include "passes/cpu/loops/LoopNest.h"

using namespace mlir;

namespace weir {

double nanoseconds(linalg::LinalgOp op) {
  double bytes = 0;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      bytes += double(type.getNumElements()) *
               llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return std::max(movingTime(bytes),
                  LoopNest(op).applies() ? vectorTime(op) : scalarTime(op));
}

} // namespace weir
