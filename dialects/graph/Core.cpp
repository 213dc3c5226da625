// Verifies and folds the ops that every stage handles.

#include "dialects/graph/Graph.h"

#include "dialects/graph/Gradients.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/CoreOps.cpp.inc"

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getValue().getShapedType());
  return success();
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn set) {
  set(getResult(), "c");
}

/// Verifies that `yield` returns `types`; `what` names the region in the error.
static LogicalResult verifyYield(Operation *op, Region &region, TypeRange types,
                                 StringRef what) {
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield)
    return op->emitOpError() << what << " does not end in graph.yield";
  if (yield.getValues().getTypes() != types)
    return yield.emitOpError("gives (")
           << yield.getValues().getTypes() << ") where (" << types
           << ") is wanted";
  return success();
}

static LogicalResult verifyArguments(Operation *op, Region &region,
                                     TypeRange types, StringRef what) {
  if (region.front().getArgumentTypes() != types)
    return op->emitOpError()
           << what << " takes (" << region.front().getArgumentTypes()
           << ") where (" << types << ") is given";
  return success();
}

LogicalResult GroupOp::verifyRegions() {
  if (failed(verifyArguments(*this, getBody(), getInputs().getTypes(), "body")))
    return failure();
  return verifyYield(*this, getBody(), getResultTypes(), "body");
}

LogicalResult IfOp::verifyRegions() {
  if (failed(verifyYield(*this, getThenRegion(), getResultTypes(), "then")))
    return failure();
  return verifyYield(*this, getElseRegion(), getResultTypes(), "else");
}

LogicalResult WhileOp::verifyRegions() {
  TypeRange types = getInits().getTypes();
  if (types != TypeRange(getResultTypes()))
    return emitOpError("changes the types of its variables");
  if (failed(verifyArguments(*this, getCondition(), types, "condition")) ||
      failed(verifyArguments(*this, getBody(), types, "body")))
    return failure();
  Type boolean = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(verifyYield(*this, getCondition(), boolean, "condition")))
    return failure();
  return verifyYield(*this, getBody(), types, "body");
}

LogicalResult CheckOp::verify() {
  OperandRange element = getElement();
  if (element.empty())
    return success();
  bool isInteger = getElementTypeOrSelf(element[0]).isInteger(64);
  if (isInteger &&
      (element.size() == 1 ||
       (element.size() == 2 && getElementTypeOrSelf(element[1]).isF32())))
    return success();
  return emitOpError("has an element that is not an i64, or an i64 and an f32");
}

LogicalResult KeepOp::verify() {
  int64_t rank = cast<RankedTensorType>(getValue().getType()).getRank();
  if (bool(getShape()) != bool(getLeast()))
    return emitOpError("has only one of shape and least");
  if (getShape() &&
      (cast<RankedTensorType>(getShape().getType()).getDimSize(0) != rank ||
       getLeast()->size() != static_cast<size_t>(rank)))
    return emitOpError("has sizes of another number of dimensions");
  return success();
}

void weir::graph::attachCoreDerivatives(MLIRContext *context) {
  attachDerivatives<
#define GET_OP_LIST
#include "dialects/graph/CoreOps.cpp.inc"
      >(context);
}
