// Nodes that are one to one with an op of the dialect.

#include "compiler/import/ByName.h"

#include "compiler/import/Build.h"
#include "compiler/import/Elements.h"
#include "compiler/import/Tracing.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir {

/// How many operands an op takes; nothing where it takes any number.
static std::optional<unsigned> operandCount(RegisteredOperationName op) {
  if (op.hasTrait<OpTrait::ZeroOperands>())
    return 0;
  if (op.hasTrait<OpTrait::OneOperand>())
    return 1;
  if (op.hasTrait<OpTrait::NOperands<2>::Impl>())
    return 2;
  if (op.hasTrait<OpTrait::NOperands<3>::Impl>())
    return 3;
  if (op.hasTrait<OpTrait::NOperands<4>::Impl>())
    return 4;
  return std::nullopt;
}

FailureOr<RegisteredOperationName> findOp(TracedNode &node, StringRef target) {
  auto op = RegisteredOperationName::lookup(target, node.b.getContext());
  if (!op)
    return node.unsupported("no such op");
  if (auto wanted = operandCount(*op); wanted && *wanted != node.size())
    return node.error() << "has " << node.size() << " operands instead of "
                        << *wanted;
  return *op;
}

bool broadcasts(RegisteredOperationName op, ArrayRef<Value> operands) {
  return operands.size() > 1 && op.hasInterface<graph::ScalarOpInterface>();
}

LogicalResult broadcastOperands(TracedNode &node,
                                MutableArrayRef<Value> values) {
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
    return node.error(Status::limit)
           << "its result, " << dimsText(shape)
           << ", is larger than a tensor may be"
           << (node.tracing.hasDynamicSizes
                   ? ": it has room for the largest sizes in the ranges that "
                     "--dim sets"
                   : "");
  for (Value &value : values)
    value = broadcastTo(node.b, value, shape);
  return success();
}

LogicalResult buildOp(TracedNode &node, RegisteredOperationName op,
                      ArrayRef<Value> operands) {
  if (operands.empty() || llvm::is_contained(operands, Value()))
    return node.error() << "lacks an operand";
  OperationState state(node.b.getLoc(), op);
  state.addOperands(operands);
  if (op.hasTrait<OpTrait::SameOperandsAndResultType>()) {
    for (Value operand : operands)
      if (operand.getType() != operands.front().getType())
        return node.error()
               << "its operands differ in type: " << operands.front().getType()
               << " and " << operand.getType();
    state.addTypes(operands.front().getType());
  } else if (op.hasInterface<InferTypeOpInterface>()) {
    state.addTypes(Type());
  } else {
    return node.unsupported("its result's type is not known");
  }
  return node.result(makeChecked(node.b, state));
}

} // namespace weir
