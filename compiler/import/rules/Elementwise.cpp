// Elementwise nodes and products on operands of sizes known only at run time:
// the node's own handler works on the whole places.

#include "compiler/import/rules/Elementwise.h"

#include "compiler/import/Tracing.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
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
    Value buffer = fill ? masked(node.b, operand, *fill).value : operand.value;
    for (auto [size, bound, shared] :
         llvm::zip_equal(own, bounds, ArrayRef(*common).take_back(own.size())))
      size = bound == shared.bound ? shared : Size{bound, {}};
    operand = withSizes(paddedTo(node.b, buffer, bounds), own);
  }
  return common;
}

/// Expands a float tensor that broadcasts along dynamic dimensions. Otherwise
/// its gradient would sum values from the padding, where quotients may be NaN.
static Value repeated(ImplicitLocOpBuilder &b, Value buffer,
                      ArrayRef<Size> sizes) {
  if (!buffer || !isa<FloatType>(typeOf(buffer).getElementType()) ||
      knownElements(buffer) ||
      typeOf(buffer).getShape().equals(boundsOf(sizes)))
    return buffer;
  Traced traced =
      withSizes(broadcast(Expr(b, buffer), boundsOf(sizes)).value, sizes);
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
  SmallVector<Value> buffers;
  for (const Traced &operand : operands)
    buffers.push_back(operand.value);
  if (node.tracing.derives && buffers.size() == 2)
    for (Value &buffer : buffers)
      buffer = repeated(node.b, buffer, *common);
  if (failed(runOnPaddedBuffers(node, buffers)))
    return failure();
  for (unsigned i = 0; i < node.given.size(); ++i)
    if (failed(giveSizes(node, i, *common)))
      return failure();
  return success();
}

} // namespace weir
