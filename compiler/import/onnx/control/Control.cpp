// Branches over what edges carry.

#include "compiler/import/onnx/control/Control.h"

#include "compiler/import/Build.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Value> scalarBoolean(Node &node, ImplicitLocOpBuilder &b,
                               const Traced &condition) {
  if (!condition.value)
    return node.error() << "has a condition that is no tensor";
  RankedTensorType type = typeOf(condition.value);
  if (!type.getElementType().isInteger(1) || type.getNumElements() != 1)
    return node.error() << "has a condition that is no Boolean but " << type;
  return reshapeTo(b, condition.value, {});
}

} // namespace weir::onnx
