// Conditions of control flow.

#include "compiler/import/tensorflow/control/Control.h"

#include "compiler/import/Build.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {

FailureOr<Value> scalarBoolean(Node &node, const Traced &condition) {
  if (!condition.value || condition.imaginary || condition.isBounded())
    return node.unsupported("a condition that is no tensor of numbers");
  RankedTensorType type = typeOf(condition.value);
  Type i1 = node.b.getI1Type();
  if (type.getRank() != 0)
    return splat(node.b, RankedTensorType::get({}, i1),
                 type.getNumElements() != 0);
  if (type.getElementType() == i1)
    return condition.value;
  return make<graph::NotEqualOp>(node.b, condition.value,
                                 splat(node.b, type, 0));
}

} // namespace weir::tensorflow
