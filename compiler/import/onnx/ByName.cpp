// Nodes that are one to one with an op of the dialect.

#include "compiler/import/Build.h"
#include "compiler/import/onnx/Tracer.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {

/// Before opset 7 an operand could be aligned with an axis of the other instead
/// of with its last ones.
static LogicalResult alignToAxis(Node &node, MutableArrayRef<Value> operands) {
  if (node.opset() >= 7 || !node.def.domain().empty() ||
      !node.intAttr("broadcast") || !node.hasAttr("axis"))
    return success();
  if (operands.size() != 2 || !operands[0] || !operands[1])
    return success();
  int64_t rank = typeOf(operands[0]).getRank();
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), rank);
  if (failed(axis))
    return failure();
  SmallVector<int64_t> shape(typeOf(operands[1]).getShape());
  int64_t behind = rank - *axis - static_cast<int64_t>(shape.size());
  if (behind < 0)
    return node.error() << "its operands do not broadcast from axis " << *axis;
  shape.append(behind, 1);
  operands[1] = reshapeTo(node.b, operands[1], shape);
  return success();
}

LogicalResult broadcastAll(Node &node, MutableArrayRef<Value> values) {
  if (failed(alignToAxis(node, values)))
    return failure();
  SmallVector<int64_t> shape;
  for (Value value : values) {
    if (!value)
      return node.error() << "lacks an operand";
    auto joined = broadcastShapes(shape, typeOf(value).getShape());
    if (failed(joined)) {
      InFlightDiagnostic error = node.error();
      error << "its operands do not broadcast:";
      for (Value each : values)
        if (each)
          error << ' ' << each.getType();
      return error;
    }
    shape = *joined;
  }
  if (!byteSize(shape, 1))
    return node.error() << "its result is larger than a tensor may be";
  for (Value &value : values)
    value = broadcastTo(node.b, value, shape);
  return success();
}

/// How many operands an op takes; nothing where it takes any number.
static std::optional<unsigned> operandCount(RegisteredOperationName name) {
  if (name.hasTrait<OpTrait::ZeroOperands>())
    return 0;
  if (name.hasTrait<OpTrait::OneOperand>())
    return 1;
  if (name.hasTrait<OpTrait::NOperands<2>::Impl>())
    return 2;
  if (name.hasTrait<OpTrait::NOperands<3>::Impl>())
    return 3;
  return std::nullopt;
}

LogicalResult buildByName(Node &node, StringRef target) {
  auto name = RegisteredOperationName::lookup(target, node.b.getContext());
  if (!name)
    return node.unsupported("no such op");
  if (auto wanted = operandCount(*name); wanted && *wanted != node.size())
    return node.error() << "has " << node.size() << " operands instead of "
                        << *wanted;
  SmallVector<Value> operands;
  for (unsigned i = 0; i < node.size(); ++i)
    operands.push_back(node.operand(i));
  if (operands.empty() || llvm::is_contained(operands, Value()))
    return node.error() << "lacks an operand";
  if (operands.size() > 1 && name->hasInterface<graph::ScalarOpInterface>() &&
      failed(broadcastAll(node, operands)))
    return failure();
  OperationState state(node.b.getLoc(), *name);
  state.addOperands(operands);
  if (name->hasTrait<OpTrait::SameOperandsAndResultType>()) {
    for (Value operand : operands)
      if (operand.getType() != operands.front().getType())
        return node.error()
               << "its operands differ in type: " << operands.front().getType()
               << " and " << operand.getType();
    state.addTypes(operands.front().getType());
  } else if (name->hasInterface<InferTypeOpInterface>()) {
    state.addTypes(Type());
  } else {
    return node.unsupported("its result's type is not known");
  }
  return node.result(makeChecked(node.b, state));
}

} // namespace weir::onnx
