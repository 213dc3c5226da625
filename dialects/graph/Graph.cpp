// The dialect itself: its ops, its constants, and the folder of scalar ops.

#include "dialects/graph/Graph.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace weir::graph;

#include "dialects/graph/GraphDialect.cpp.inc"
#include "dialects/graph/GraphEnums.cpp.inc"
#include "dialects/graph/GraphInterfaces.cpp.inc"

void GraphDialect::initialize() {
  // The scalar functions of elementwise ops are built, and folded, in these.
  getContext()->loadDialect<arith::ArithDialect, math::MathDialect>();
  addOperations<
#define GET_OP_LIST
#include "dialects/graph/CoreOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/ElementwiseOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/IndexOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/LogicOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/MathOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/LinearOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/NeuralOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/ReduceOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/ShapeOps.cpp.inc"
      >();
}

Operation *GraphDialect::materializeConstant(OpBuilder &b, Attribute value,
                                             Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return b.create<ConstantOp>(loc, elements);
}

Type weir::graph::signless(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

/// Value `index` of `elements` as the attribute that arith folds.
static Attribute elementAt(DenseElementsAttr elements, int64_t index) {
  Type type = signless(elements.getElementType());
  if (isa<FloatType>(type))
    return FloatAttr::get(type, *(elements.value_begin<APFloat>() + index));
  return IntegerAttr::get(type, *(elements.value_begin<APInt>() + index));
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

/// Folds the ops of `block` in order, its arguments being `args`.
static Attribute foldBlock(Block &block, ArrayRef<Attribute> args,
                           Value result) {
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

OpFoldResult weir::graph::foldScalarOp(Operation *op,
                                       ArrayRef<Attribute> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool splat = true;
  for (Attribute operand : operands) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!elements)
      return {};
    splat &= elements.isSplat();
  }
  int64_t count = splat ? 1 : type.getNumElements();
  if (count > foldLimit || type.getNumElements() == 0)
    return {};

  Block block;
  OpBuilder b(op->getContext());
  b.setInsertionPointToEnd(&block);
  for (Value operand : op->getOperands())
    block.addArgument(signless(getElementTypeOrSelf(operand)), op->getLoc());
  Value result = cast<ScalarOpInterface>(op).buildScalar(b, op->getLoc(),
                                                         block.getArguments());

  SmallVector<APInt> integers;
  SmallVector<APFloat> floats;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Attribute> args;
    for (Attribute operand : operands) {
      auto elements = cast<DenseElementsAttr>(operand);
      args.push_back(elementAt(elements, elements.isSplat() ? 0 : i));
    }
    Attribute value = foldBlock(block, args, result);
    if (auto number = dyn_cast_or_null<FloatAttr>(value))
      floats.push_back(number.getValue());
    else if (auto number = dyn_cast_or_null<IntegerAttr>(value))
      integers.push_back(number.getValue());
    else
      return {};
  }
  if (isa<FloatType>(type.getElementType()))
    return DenseElementsAttr::get(type, floats);
  return DenseElementsAttr::get(type, integers);
}
