// Elementwise nodes and products on operands of sizes known only at run time:
// the node's own handler works on the whole places.

#include "compiler/import/bounded/Rules.h"

#include "compiler/import/Tracing.h"
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

/// A tensor of floats that broadcasts along dimensions of open size, repeated
/// up to the sizes: its gradient adds up nothing from beyond them, where
/// quotients may be no numbers.
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

/// Operand `i` with zeros beyond the size along `dim`, by an op that fuses with
/// what makes it.
static Expr withoutRest(TracedNode &node, unsigned i, int64_t dim) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes sizes = sizesOf(node.traced(i));
  Size size = sizes[dim];
  Expr zero = operand(node, i).like(0);
  if (size.isKnown())
    return operand(node, i);
  Value result = masked(b, node.traced(i), zero, dim).value;
  sizes[dim] = {size.bound, {}};
  if (result && !node.tracing.derives)
    writeSizes(node.tracing.report, result, sizes);
  return Expr(b, result);
}

FailureOr<Sizes> alignMatrices(TracedNode &node, bool transposeX,
                               bool transposeY,
                               SmallVectorImpl<Value> &places) {
  bool transposed[] = {transposeX, transposeY};
  Sizes sizes[2], batches[2];
  int64_t inner[2], outer[2];
  for (unsigned i : {0, 1}) {
    sizes[i] = sizesOf(node.traced(i));
    batches[i].assign(sizes[i].begin(), sizes[i].end() - 2);
    int64_t rows = node.rank(i) - 2, columns = rows + 1;
    bool isLast = (i == 0) != transposed[i];
    inner[i] = isLast ? columns : rows;
    outer[i] = isLast ? rows : columns;
  }
  auto batch = commonSizes(node, {batches[0], batches[1]});
  auto common = agreedSize(node, sizes[0][inner[0]], sizes[1][inner[1]],
                           "rows and columns");
  if (failed(batch) || failed(common))
    return failure();
  for (unsigned i : {0, 1}) {
    Expr x = withoutRest(node, i, inner[i]);
    SmallVector<int64_t> bounds = commonBounds(batches[i], *batch);
    llvm::append_range(bounds, x.shape().take_back(2));
    bounds[inner[i]] = common->bound;
    places.push_back(inPlaceOf(node.b, x.value, bounds));
  }
  Sizes result = *batch;
  result.push_back(sizes[0][outer[0]]);
  result.push_back(sizes[1][outer[1]]);
  return result;
}

Sizes leftOf(TracedNode &node, ArrayRef<int64_t> dims, bool keep) {
  Sizes left;
  for (auto [i, size] : llvm::enumerate(sizesOf(node.traced(0))))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      left.push_back(size);
    else if (keep)
      left.push_back({1, {}});
  return left;
}

LogicalResult giveMean(TracedNode &node, ArrayRef<int64_t> dims, bool keep) {
  Sizes sizes = sizesOf(node.traced(0));
  Type type = node.element(0);
  Expr count = number(node.b, 1);
  for (int64_t dim : dims)
    count = count * exactly(node.b, sizes[dim]);
  Expr zero = identityOf(node.b, graph::Reduction::sum, type);
  Expr x = masked(node.b, node.traced(0), zero, dims);
  // Halves stay f32 from the sum to the quotient, so that it cannot overflow.
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    x = cast(x, node.b.getF32Type());
  Expr y = cast(sum(x, dims, keep) / cast(count, x.elementType()), type);
  return failed(give(node, y)) ? failure()
                               : giveSizes(node, 0, leftOf(node, dims, keep));
}

} // namespace weir
