// Branches over what edges carry.

#include "compiler/import/onnx/control/Control.h"

#include "compiler/import/Build.h"

#include "dialects/graph/Graph.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::onnx {

bool flatten(const Traced &traced, SmallVectorImpl<Value> &values) {
  if (traced.value)
    values.push_back(traced.value);
  return traced.value || (traced.object && traced.object->flatten(values));
}

Traced rebuild(const Traced &like, ArrayRef<Value> &values) {
  if (!like.value)
    return {{}, {}, like.object->rebuild(values)};
  Traced result{values.front(), {}, nullptr};
  values = values.drop_front();
  return result;
}

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

std::optional<bool> knownTruth(Value condition) {
  Attribute value;
  if (!matchPattern(condition, m_Constant(&value)))
    return std::nullopt;
  auto dense = denseElements(value);
  if (!dense || !dense->getElementType().isInteger(1) || !dense->isSplat())
    return std::nullopt;
  return dense->getSplatValue<bool>();
}

/// Traces a branch into a new block of the region and yields what it gives.
static LogicalResult traceBranch(Node &node, Region &region, Trace trace,
                                 SmallVector<Traced> &traced) {
  OpBuilder &builder = node.tracer.builder;
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region);
  FailureOr<SmallVector<Traced>> results = trace();
  if (failed(results))
    return failure();
  SmallVector<Value> values;
  for (const Traced &result : *results)
    if (!flatten(result, values))
      return node.unsupported("a branch that gives something other than "
                              "tensors");
  builder.create<graph::YieldOp>(node.b.getLoc(), values);
  traced = std::move(*results);
  return success();
}

FailureOr<SmallVector<Traced>> buildIf(Node &node, Value condition,
                                       Trace onTrue, Trace onFalse) {
  if (std::optional<bool> known = knownTruth(condition))
    return *known ? onTrue() : onFalse();
  Region thenRegion, elseRegion;
  SmallVector<Traced> traced, otherwise;
  Status before = node.tracer.report.status;
  LogicalResult first = traceBranch(node, thenRegion, onTrue, traced);
  // Both branches tell what they lack.
  if (failed(first) && node.tracer.report.status != before)
    return failure();
  if (failed(traceBranch(node, elseRegion, onFalse, otherwise)) ||
      failed(first))
    return failure();
  auto left = thenRegion.back().getTerminator()->getOperandTypes();
  auto right = elseRegion.back().getTerminator()->getOperandTypes();
  if (traced.size() != otherwise.size())
    return node.error() << "its branches give " << traced.size() << " and "
                        << otherwise.size() << " results";
  if (left != right) {
    for (auto [a, b] : llvm::zip(left, right))
      if (mlir::cast<RankedTensorType>(a).getElementType() !=
          mlir::cast<RankedTensorType>(b).getElementType())
        return node.error()
               << "its branches give different types: " << a << " and " << b;
    return node.unsupported("its branches give results of different shapes");
  }
  OperationState state(node.b.getLoc(), graph::IfOp::getOperationName());
  state.addOperands(condition);
  state.addTypes(left);
  state.addRegion()->takeBody(thenRegion);
  state.addRegion()->takeBody(elseRegion);
  Operation *op = node.tracer.builder.create(state);
  SmallVector<Value> values(op->getResults());
  ArrayRef<Value> rest = values;
  SmallVector<Traced> results;
  for (const Traced &like : traced)
    results.push_back(rebuild(like, rest));
  return results;
}

} // namespace weir::onnx
