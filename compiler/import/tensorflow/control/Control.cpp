// Branches over what edges carry.

#include "compiler/import/tensorflow/control/Control.h"

#include "compiler/import/Build.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::tensorflow {

bool flatten(const Traced &traced, SmallVectorImpl<Value> &values) {
  if (traced.value)
    values.push_back(traced.value);
  if (traced.imaginary)
    values.push_back(traced.imaginary);
  for (Value extent : traced.extents)
    if (extent)
      values.push_back(extent);
  return !traced.object || traced.value || traced.object->flatten(values);
}

Traced rebuild(const Traced &like, ArrayRef<Value> &values) {
  Traced result;
  auto take = [&] {
    Value first = values.front();
    values = values.drop_front();
    return first;
  };
  if (like.value)
    result.value = take();
  if (like.imaginary)
    result.imaginary = take();
  for (Value extent : like.extents)
    result.extents.push_back(extent ? take() : Value());
  if (like.object && !like.value)
    result.object = like.object->rebuild(values);
  return result;
}

FailureOr<Value> truth(Node &node, const Traced &condition) {
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

std::optional<bool> knownTruth(Value condition) {
  Attribute value;
  if (!matchPattern(condition, m_Constant(&value)))
    return std::nullopt;
  auto dense = denseElements(value);
  if (!dense || !dense->getElementType().isInteger(1) || !dense->isSplat())
    return std::nullopt;
  return dense->getSplatValue<bool>();
}

/// Traces a branch into a new block of the region, which still wants a yield.
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
  traced = std::move(*results);
  return success();
}

/// Yields a branch's results, with the sizes that those of both have in common
/// where there are such.
static SmallVector<Traced>
yieldBranch(Node &node, Region &region, ArrayRef<Traced> traced,
            ArrayRef<std::optional<SmallVector<Room>>> joined) {
  ImplicitLocOpBuilder b(node.b.getLoc(), node.b.getContext());
  b.setInsertionPointToEnd(&region.back());
  SmallVector<Traced> results;
  SmallVector<Value> values;
  for (auto [result, rooms] : llvm::zip_equal(traced, joined)) {
    results.push_back(rooms ? fitTo(b, node, result, *rooms) : result);
    flatten(results.back(), values);
  }
  b.create<graph::YieldOp>(values);
  return results;
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
  if (traced.size() != otherwise.size())
    return node.error() << "its branches give " << traced.size() << " and "
                        << otherwise.size() << " results";
  SmallVector<std::optional<SmallVector<Room>>> joined(traced.size());
  for (auto [i, a, b] : llvm::enumerate(traced, otherwise)) {
    SmallVector<Value> left, right;
    flatten(a, left);
    flatten(b, right);
    if (TypeRange(left) == TypeRange(right) && !a.isBounded() && !b.isBounded())
      continue;
    joined[i] = joinSizes(a, b);
    if (joined[i])
      continue;
    bool sameElements =
        left.size() == 1 && right.size() == 1 &&
        typeOf(left[0]).getElementType() == typeOf(right[0]).getElementType();
    if (!sameElements)
      return node.error() << "its branches give different types for result "
                          << i << ": (" << TypeRange(left) << ") and ("
                          << TypeRange(right) << ")";
    return node.unsupported("result " + Twine(i) +
                            " has a rank that depends on which branch runs");
  }
  traced = yieldBranch(node, thenRegion, traced, joined);
  yieldBranch(node, elseRegion, otherwise, joined);
  auto thenValues = thenRegion.back().getTerminator()->getOperandTypes();
  // An outer builder can still stand in a block of a larger region.
  OperationState state(node.b.getLoc(), graph::IfOp::getOperationName());
  state.addOperands(condition);
  state.addTypes(thenValues);
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

} // namespace weir::tensorflow
