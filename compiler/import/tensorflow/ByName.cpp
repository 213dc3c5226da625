// Nodes that are one to one with an op of the dialect.

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/Tracer.h"

#include "dialects/graph/Graph.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace weir::tensorflow {

/// The operands of an op that works element by element, all of one shape.
static LogicalResult broadcastOperands(Node &node,
                                       SmallVector<Value> &operands) {
  SmallVector<int64_t> shape;
  for (Value operand : operands) {
    auto joined = broadcastShapes(shape, typeOf(operand).getShape());
    if (failed(joined)) {
      InFlightDiagnostic error = node.error();
      error << "its operands do not broadcast:";
      for (Value each : operands)
        error << ' ' << each.getType();
      return error;
    }
    shape = *joined;
  }
  if (!byteSize(shape, 1))
    return node.error() << "its result is larger than a tensor may be";
  for (Value &operand : operands)
    operand = broadcastTo(node.b, operand, shape);
  return success();
}

/// How many operands an op takes; nothing where it takes any number.
static std::optional<unsigned> operandCount(RegisteredOperationName name) {
  if (name.hasTrait<OpTrait::ZeroOperands>())
    return 0;
  if (name.hasTrait<OpTrait::OneOperand>())
    return 1;
  for (unsigned count : {2u, 3u, 4u}) {
    bool has = count == 2   ? name.hasTrait<OpTrait::NOperands<2>::Impl>()
               : count == 3 ? name.hasTrait<OpTrait::NOperands<3>::Impl>()
                            : name.hasTrait<OpTrait::NOperands<4>::Impl>();
    if (has)
      return count;
  }
  return std::nullopt;
}

LogicalResult checkType(Node &node, unsigned i) {
  if (!node.def.attr().count("T"))
    return success();
  const ::tensorflow::AttrValue *type = node.attr("T", "a type");
  if (!type)
    return failure();
  Type wanted = elementType(node.b.getContext(), type->type());
  const Traced &operand = node.traced(i);
  if (!wanted || !operand.value || operand.imaginary)
    return success();
  if (typeOf(operand.value).getElementType() != wanted)
    return node.error() << "is for " << wanted << ", but its operand is a "
                        << operand.value.getType();
  return success();
}

LogicalResult buildByName(Node &node, StringRef target) {
  auto name = RegisteredOperationName::lookup(target, node.b.getContext());
  if (!name)
    return node.unsupported("no such op");
  if (auto wanted = operandCount(*name); wanted && *wanted != node.size())
    return node.error() << "has " << node.size() << " operands instead of "
                        << *wanted;
  if (name->hasTrait<OpTrait::SameOperandsAndResultType>() && node.size() &&
      failed(checkType(node, 0)))
    return failure();
  SmallVector<Value> operands;
  for (unsigned i = 0; i < node.size(); ++i)
    operands.push_back(node.operand(i));
  bool isScalarOp = name->hasInterface<graph::ScalarOpInterface>();
  if (isScalarOp && operands.size() > 1 &&
      failed(broadcastOperands(node, operands)))
    return failure();
  OperationState state(node.b.getLoc(), *name);
  state.addOperands(operands);
  if (name->hasTrait<OpTrait::SameOperandsAndResultType>()) {
    for (Value operand : operands)
      if (operand.getType() != operands.front().getType())
        return node.error()
               << "its operands differ in type: " << operands.front().getType()
               << " and " << operand.getType();
    if (operands.empty())
      return node.error() << "has no operands";
    state.addTypes(operands.front().getType());
  } else if (name->hasInterface<InferTypeOpInterface>()) {
    state.addTypes(Type());
  } else {
    return node.unsupported("its result's type is not known");
  }
  return node.result(makeChecked(node.b, state));
}

} // namespace weir::tensorflow
