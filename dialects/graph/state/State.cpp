// What the ops of family State check.

#include "dialects/graph/state/State.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/state/StateOps.cpp.inc"

/// Whether tensors of the dialect have such elements.
static bool isElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return integer.isSignless();
    return !integer.isSigned() &&
           (width == 8 || width == 16 || width == 32 || width == 64);
  }
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

LogicalResult VariableOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape() ||
      !isElement(type.getElementType())) // C1
    return emitOpError("is of ") << getType() << ", which no variable can be";
  if (getInitial() && getInitial()->getShapedType() != type) // C2
    return emitOpError("starts as a ")
           << getInitial()->getShapedType() << " but is a " << type;
  return success();
}

static LogicalResult verifyUse(Operation *op, FlatSymbolRefAttr name, Type type,
                               SymbolTableCollection &symbols) {
  auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(op, name);
  if (!variable) // C1
    return op->emitOpError("names ") << name << ", which is no variable";
  if (variable.getType() != type) // C2
    return op->emitOpError("is for ")
           << type << ", but " << name << " is a " << variable.getType();
  return success();
}

LogicalResult ReadVariableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyUse(*this, getVariableAttr(), getType(), symbols);
}

LogicalResult
WriteVariableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyUse(*this, getVariableAttr(), getValue().getType(), symbols);
}
