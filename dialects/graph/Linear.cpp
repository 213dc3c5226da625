// What the ops of family Linear check, infer and fold.

#include "dialects/graph/Linear.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/LinearOps.cpp.inc"

LogicalResult CholeskyOp::verify() {
  // (C1)
  ArrayRef<int64_t> shape = getType().getShape();
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2])
    return emitOpError("needs square matrices, not ") << getType();
  return success();
}
