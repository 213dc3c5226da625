// Elementwise nodes and products on operands of sizes known only at run time:
// the node's own handler works on the whole places.

#include "compiler/import/rules/Elementwise.h"

#include "compiler/import/Tracing.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Places.h"
#include "compiler/import/bounded/Sizes.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir {

FailureOr<Sizes> alignOperands(TracedNode &node,
                               SmallVectorImpl<Traced> &operands,
                               std::optional<double> fill) {
  SmallVector<Sizes> all;
  for (const Traced &operand : operands)
    if (operand.value)
      all.push_back(sizesOf(operand));
  auto common = commonSizes(node, all);
  if (failed(common))
    return failure();
  for (Traced &operand : operands) {
    if (!operand.value)
      continue;
    Sizes own = sizesOf(operand);
    SmallVector<int64_t> bounds = commonBounds(own, *common);
    Value place = fill ? masked(node.b, operand, *fill).value : operand.value;
    for (auto [size, bound, shared] :
         llvm::zip_equal(own, bounds, ArrayRef(*common).take_back(own.size())))
      size = bound == shared.bound ? shared : Size{bound, {}};
    operand = withSizes(inPlaceOf(node.b, place, bounds), own);
  }
  return common;
}

/// Expands a float tensor that broadcasts along dynamic dimensions. Otherwise
/// its gradient would sum values from the padding, where quotients may be NaN.
static Value repeated(ImplicitLocOpBuilder &b, Value place,
                      ArrayRef<Size> sizes) {
  if (!place || !isa<FloatType>(typeOf(place).getElementType()) ||
      knownElements(place) || typeOf(place).getShape().equals(boundsOf(sizes)))
    return place;
  Traced traced =
      withSizes(broadcast(Expr(b, place), boundsOf(sizes)).value, sizes);
  zeroBeyond(b, traced);
  return traced.value;
}

LogicalResult giveElementwise(TracedNode &node, std::optional<double> fill) {
  SmallVector<Traced> operands;
  for (unsigned i = 0; i < node.size(); ++i)
    operands.push_back(node.traced(i));
  auto common = alignOperands(node, operands, fill);
  if (failed(common))
    return failure();
  SmallVector<Value> places;
  for (const Traced &operand : operands)
    places.push_back(operand.value);
  if (node.tracing.derives && places.size() == 2)
    for (Value &place : places)
      place = repeated(node.b, place, *common);
  if (failed(runOnPlaces(node, places)))
    return failure();
  for (unsigned i = 0; i < node.given.size(); ++i)
    if (failed(giveSizes(node, i, *common)))
      return failure();
  return success();
}

} // namespace weir
