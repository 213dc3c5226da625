// Scalar functions computed at compile time, and the folder of scalar ops.

#include "dialects/graph/elementwise/Fold.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/elementwise/Evaluate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::graph {

ScalarEvaluator::ScalarEvaluator(
    Location loc, TypeRange types,
    function_ref<Value(OpBuilder &, Location, ValueRange)> build) {
  OpBuilder b(loc.getContext());
  b.setInsertionPointToEnd(&block);
  for (Type type : types)
    block.addArgument(type, loc);
  result = build(b, loc, block.getArguments());
}

/// arith.truncf folds only what it need not round.
static Attribute foldTruncation(arith::TruncFOp op, Attribute operand) {
  auto number = dyn_cast_or_null<FloatAttr>(operand);
  if (!number)
    return {};
  auto type = cast<FloatType>(op.getType());
  APFloat value = number.getValue();
  bool loses = false;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
  return FloatAttr::get(type, value);
}

Attribute ScalarEvaluator::operator()(ArrayRef<Attribute> args) {
  DenseMap<Value, Attribute> values;
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), args))
    values[argument] = value;
  for (Operation &op : block) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    if (auto truncation = dyn_cast<arith::TruncFOp>(op)) {
      values[op.getResult(0)] = foldTruncation(truncation, operands[0]);
      continue;
    }
    SmallVector<OpFoldResult> results;
    if (failed(op.fold(operands, results)) || results.size() != 1)
      return {};
    if (auto value = dyn_cast<Value>(results[0]))
      values[op.getResult(0)] = values.lookup(value);
    else
      values[op.getResult(0)] = cast<Attribute>(results[0]);
  }
  return values.lookup(result);
}

Attribute elementAt(DenseElementsAttr elements, int64_t index) {
  Type type = signless(elements.getElementType());
  if (isa<FloatType>(type))
    return FloatAttr::get(type, *(elements.value_begin<APFloat>() + index));
  return IntegerAttr::get(type, *(elements.value_begin<APInt>() + index));
}

DenseElementsAttr constantOf(RankedTensorType type,
                             ArrayRef<Attribute> elements) {
  if (isa<FloatType>(type.getElementType())) {
    SmallVector<APFloat> floats;
    for (Attribute element : elements)
      floats.push_back(cast<FloatAttr>(element).getValue());
    return DenseElementsAttr::get(type, floats);
  }
  SmallVector<APInt> integers;
  for (Attribute element : elements)
    integers.push_back(cast<IntegerAttr>(element).getValue());
  return DenseElementsAttr::get(type, integers);
}

/// The elements of a constant as `evaluate` takes them; `owned` is for those
/// that an attribute keeps otherwise.
static Elements elementsOf(DenseElementsAttr constant,
                           SmallVectorImpl<char> &owned) {
  Type type = signless(constant.getElementType());
  if (!type.isInteger(1))
    return {type, constant.getRawData(), constant.isSplat()};
  if (constant.isSplat())
    owned.push_back(constant.getSplatValue<bool>());
  else
    llvm::append_range(owned, constant.getValues<bool>());
  return {type, owned, constant.isSplat()};
}

OpFoldResult foldScalarOp(Operation *op, ArrayRef<Attribute> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>{});
  bool splat = true;
  for (Attribute operand : operands) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!elements || !elements.getElementType().isIntOrFloat())
      return {};
    splat &= elements.isSplat();
  }
  int64_t count = splat ? 1 : type.getNumElements();
  if (count > foldLimit)
    return {};

  SmallVector<SmallVector<char>> owned(operands.size());
  SmallVector<Elements> given;
  for (auto [operand, bytes] : llvm::zip_equal(operands, owned))
    given.push_back(elementsOf(cast<DenseElementsAttr>(operand), bytes));
  Type element = type.getElementType();
  SmallVector<char> result(
      count * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
  if (failed(evaluate(op, given, count, result.data(), /*callsLibm=*/true)))
    return {};
  if (element.isInteger(1))
    return DenseElementsAttr::get(
        type, SmallVector<bool>(result.begin(), result.end()));
  return DenseElementsAttr::getFromRawBuffer(type, result);
}

} // namespace weir::graph
