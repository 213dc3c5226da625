// What the ops of family Elementwise check; they fold by their scalar
// functions.

#include "dialects/graph/Elementwise.h"

#include "dialects/graph/Gradients.h"

#include "dialects/graph/elementwise/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ElementwiseOps.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/graph/elementwise/LogicOps.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/graph/elementwise/MathOps.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/graph/elementwise/SpecialOps.cpp.inc"

LogicalResult BitcastOp::verify() {
  // (C1)
  Type from = getX().getType().getElementType();
  Type to = getType().getElementType();
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError("gives ") << from << " the bits of " << to;
  return success();
}

void weir::graph::attachElementwiseDerivatives(MLIRContext *context) {
  attachDerivatives<
#define GET_OP_LIST
#include "dialects/graph/ElementwiseOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/LogicOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/MathOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/SpecialOps.cpp.inc"
      >(context);
}
