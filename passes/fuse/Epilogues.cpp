// Finds the contraction in whose epilogue an op can be the last one.

#include "passes/fuse/Epilogues.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::fuse {

graph::FusionRole roleOf(Operation *op) {
  auto fusible = dyn_cast_if_present<graph::FusionOpInterface>(op);
  return fusible ? fusible.fusionRole() : graph::FusionRole::none;
}

static unsigned bitsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementTypeBitWidth();
}

Operation *contractionNarrowedBy(Operation *op) {
  constexpr int64_t most = 24; // The search passes so many ops.
  auto cast = dyn_cast<graph::CastOp>(op);
  if (!cast || bitsOf(cast) >= bitsOf(cast.getX()))
    return nullptr;
  SmallVector<Operation *> open = {op};
  for (int64_t seen = 0; !open.empty() && seen < most; ++seen)
    for (Value operand : open.pop_back_val()->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !operand.hasOneUse() ||
          producer->getBlock() != op->getBlock())
        continue;
      if (roleOf(producer) == graph::FusionRole::contraction)
        return producer;
      if (roleOf(producer) == graph::FusionRole::elementwise)
        open.push_back(producer);
    }
  return nullptr;
}

} // namespace weir::fuse
