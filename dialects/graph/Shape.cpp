// What the ops of family Shape check, infer and fold.

#include "dialects/graph/Shape.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ShapeOps.cpp.inc"

LogicalResult ReshapeOp::verify() {
  // (C1)
  if (getX().getType().getNumElements() != getType().getNumElements())
    return emitOpError("turns ")
           << getX().getType().getNumElements() << " elements into "
           << getType().getNumElements();
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getX());
    return getResult();
  }
  if (auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX()))
    return value.reshape(getType());
  return {};
}
