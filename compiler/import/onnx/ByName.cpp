// Nodes that are one to one with an op of the dialect.

#include "compiler/import/onnx/ByName.h"

#include "compiler/import/Build.h"
#include "compiler/import/ByName.h"
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
  return broadcastOperands(node, values);
}

LogicalResult buildByName(Node &node, StringRef target) {
  auto op = findOp(node, target);
  if (failed(op))
    return failure();
  SmallVector<Value> operands;
  for (unsigned i = 0; i < node.size(); ++i)
    operands.push_back(node.operand(i));
  if (broadcasts(*op, operands) && failed(broadcastAll(node, operands)))
    return failure();
  return buildOp(node, *op, operands);
}

} // namespace weir::onnx
