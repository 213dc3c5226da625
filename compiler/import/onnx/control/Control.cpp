// Branches over what edges carry.

#include "compiler/import/onnx/control/Control.h"

#include "compiler/import/Build.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Value> truth(Node &node, ImplicitLocOpBuilder &b,
                       const Traced &condition) {
  if (!condition.value)
    return node.error() << "has a condition that is no tensor";
  RankedTensorType type = typeOf(condition.value);
  if (!type.getElementType().isInteger(1) || type.getNumElements() != 1)
    return node.error() << "has a condition that is no truth value but "
                        << type;
  return reshapeTo(b, condition.value, {});
}

FailureOr<SmallVector<Traced>> buildIf(Node &node, Value condition,
                                       Trace onTrue, Trace onFalse) {
  if (std::optional<bool> known = knownTruth(condition))
    return *known ? onTrue() : onFalse();
  Branches branches;
  if (failed(traceBranches(node, onTrue, onFalse, branches)))
    return failure();
  yieldResults(node, branches.onTrue);
  yieldResults(node, branches.onFalse);
  auto typesOf = [](Branch &branch) {
    return branch.region.back().getTerminator()->getOperandTypes();
  };
  auto left = typesOf(branches.onTrue), right = typesOf(branches.onFalse);
  if (left != right) {
    for (auto [a, b] : llvm::zip(left, right))
      if (mlir::cast<RankedTensorType>(a).getElementType() !=
          mlir::cast<RankedTensorType>(b).getElementType())
        return node.error()
               << "its branches give different types: " << a << " and " << b;
    return node.unsupported("its branches give results of different shapes");
  }
  return joinBranches(node, condition, branches);
}

} // namespace weir::onnx
