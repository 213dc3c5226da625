// Builds and verifies parallel loops over work items.

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weir::kernel;

void ParallelOp::build(OpBuilder &b, OperationState &state, int64_t count,
                       bool coarse) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.count = b.getI64IntegerAttr(count);
  properties.slots = b.getI64IntegerAttr(0);
  if (coarse)
    properties.coarse = b.getUnitAttr();
  Block &body = state.addRegion()->emplaceBlock();
  for (int i = 0; i < 3; ++i)
    body.addArgument(b.getIndexType(), state.location);
}

LogicalResult ParallelOp::verify() {
  if (getCount() < 1 || getSlots() < 0) // (C1)
    return emitOpError("has ")
           << getCount() << " work items for " << getSlots() << " slots";
  Block &body = getBody().front();
  bool indices = body.getNumArguments() == 3 &&
                 llvm::all_of(body.getArgumentTypes(),
                              [](Type type) { return type.isIndex(); });
  if (!indices) // (C2)
    return emitOpError(
        "does not take the first and the last work item and a slot");
  return success();
}
