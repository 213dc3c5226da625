// Nodes that are one to one with an op of the dialect.

#include "compiler/import/tensorflow/ByName.h"

#include "compiler/import/Build.h"
#include "compiler/import/ByName.h"
#include "compiler/import/tensorflow/Tracer.h"
#include "compiler/import/tensorflow/Types.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {

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
  auto op = findOp(node, target);
  if (failed(op) || (op->hasTrait<OpTrait::SameOperandsAndResultType>() &&
                     node.size() && failed(checkType(node, 0))))
    return failure();
  SmallVector<Value> operands;
  for (unsigned i = 0; i < node.size(); ++i)
    operands.push_back(node.operand(i));
  if (broadcasts(*op, operands) && failed(broadcastOperands(node, operands)))
    return failure();
  return buildOp(node, *op, operands);
}

} // namespace weir::tensorflow
