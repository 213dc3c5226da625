// Scalar functions computed at compile time, and the folder of scalar ops.

#include "dialects/graph/elementwise/Fold.h"

#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

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

/// math.atan2 folds only f32, and not at the origin.
static Attribute foldArcTangent(math::Atan2Op op, Attribute y, Attribute x) {
  auto ordinate = dyn_cast_or_null<FloatAttr>(y);
  auto abscissa = dyn_cast_or_null<FloatAttr>(x);
  if (!ordinate || !abscissa)
    return {};
  double a = ordinate.getValueAsDouble(), b = abscissa.getValueAsDouble();
  return FloatAttr::get(op.getType(), std::atan2(a, b));
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
    if (auto arc = dyn_cast<math::Atan2Op>(op)) {
      values[op.getResult(0)] = foldArcTangent(arc, operands[0], operands[1]);
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

OpFoldResult foldScalarOp(Operation *op, ArrayRef<Attribute> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>{});
  bool splat = true;
  SmallVector<Type> types;
  for (Attribute operand : operands) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!elements)
      return {};
    splat &= elements.isSplat();
    types.push_back(signless(elements.getElementType()));
  }
  int64_t count = splat ? 1 : type.getNumElements();
  if (count > foldLimit)
    return {};

  ScalarEvaluator evaluate(
      op->getLoc(), types, [&](OpBuilder &b, Location loc, ValueRange args) {
        return cast<ScalarOpInterface>(op).buildScalar(b, loc, args);
      });
  SmallVector<Attribute> elements;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Attribute> args;
    for (Attribute operand : operands) {
      auto constant = cast<DenseElementsAttr>(operand);
      args.push_back(elementAt(constant, constant.isSplat() ? 0 : i));
    }
    elements.push_back(evaluate(args));
    if (!elements.back())
      return {};
  }
  return constantOf(type, elements);
}

} // namespace weir::graph
