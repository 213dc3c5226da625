// Tensors made from few numbers: fills, ranges.

#include "compiler/import/rules/Counts.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

LogicalResult importFill(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  if (node.rank(1) != 0)
    return node.error() << "cannot fill with " << node.type(1);
  auto sizes = sizesAt(node, 0);
  if (failed(sizes))
    return failure();
  const Traced &one = node.traced(1);
  SmallVector<int64_t> bounds = boundsOf(*sizes);
  Traced filled = withSizes(broadcastTo(node.b, one.value, bounds), *sizes);
  if (one.imaginary)
    filled.imaginary = broadcastTo(node.b, one.imaginary, bounds);
  return node.tracedResults({filled});
}

/// ZerosLike and OnesLike.
LogicalResult importLike(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  double number = node.op() == "OnesLike" ? 1 : 0;
  Traced result;
  result.value = splat(node.b, node.type(0), number);
  if (node.traced(0).imaginary)
    result.imaginary = splat(node.b, node.type(0), 0);
  return node.tracedResults({result});
}

/// The elements that Empty does not define are zero.
LogicalResult importEmpty(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Type type = node.typeAttr("dtype");
  if (!type)
    return node.unsupported("its element type");
  auto sizes = sizesAt(node, 0);
  if (failed(sizes))
    return failure();
  Expr zeros = filled(node, boundsOf(*sizes), type, 0);
  return node.tracedResults({withSizes(zeros.value, *sizes)});
}

/// start + i * step, in the arithmetic of the type.
Expr progression(Node &node, Type type, int64_t count, Expr start, Expr step) {
  Expr positions(
      node.b, make<graph::IotaOp>(node.b, RankedTensorType::get({count}, type),
                                  /*axis=*/0));
  return start + positions * step;
}

LogicalResult importRange(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Type type = node.type(0).getElementType();
  for (unsigned i = 0; i < 3; ++i)
    if (node.type(i) != RankedTensorType::get({}, type))
      return node.error() << "operand " << i << " is " << node.type(i)
                          << ", no scalar of the type of the others";
  return giveCounted(node, operand(node, 0), operand(node, 1),
                     operand(node, 2));
}

LogicalResult importLinSpace(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr start = operand(node, 0), stop = operand(node, 1);
  auto count = node.integer(2);
  if (failed(count))
    return failure();
  if (*count < 1 || failed(countOrError(node, {*count})))
    return node.error() << "cannot make " << *count << " numbers";
  if (start.rank() != 0 || stop.type() != start.type() ||
      !isa<FloatType>(start.elementType()))
    return node.error() << "has no range from " << start.type() << " to "
                        << stop.type();
  if (*count == 1)
    return give(node, reshape(start, {1}));
  Expr step = (stop - start) / static_cast<double>(*count - 1);
  // The last is `stop` itself, whatever the sums round to.
  return give(node, concat({progression(node, start.elementType(), *count - 1,
                                        start, step),
                            reshape(stop, {1})},
                           0));
}

/// Rows of ranges, one after another, and where each begins.
LogicalResult importRaggedRange(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto starts = node.integers(0), limits = node.integers(1),
       steps = node.integers(2);
  if (failed(starts) || failed(limits) || failed(steps))
    return failure();
  size_t rows = std::max({starts->size(), limits->size(), steps->size()});
  auto at = [&](ArrayRef<int64_t> numbers, size_t i) {
    return numbers[numbers.size() == 1 ? 0 : i];
  };
  for (ArrayRef<int64_t> numbers :
       {ArrayRef<int64_t>(*starts), ArrayRef<int64_t>(*limits),
        ArrayRef<int64_t>(*steps)})
    if (numbers.size() != 1 && numbers.size() != rows)
      return node.error() << "has " << starts->size() << " starts, "
                          << limits->size() << " limits and " << steps->size()
                          << " steps";
  Integers splits{0}, values;
  for (size_t row = 0; row < rows; ++row) {
    int64_t start = at(*starts, row), step = at(*steps, row), span;
    if (step == 0 || llvm::SubOverflow(at(*limits, row), start, span))
      return node.error() << "has no range from " << start << " to "
                          << at(*limits, row) << " by " << step;
    int64_t count = span == 0 || (span > 0) != (step > 0)
                        ? 0
                        : span / step + (span % step != 0);
    if (count > (1 << 24) || values.size() + count > (1 << 24))
      return node.error() << "makes too many elements";
    for (int64_t i = 0; i < count; ++i)
      values.push_back(start + i * step);
    splits.push_back(static_cast<int64_t>(values.size()));
  }
  Type splitType = typeAttrOr(node, "Tsplits", node.b.getI64Type());
  return give(node, {integers(node, splitType, splits),
                     integers(node, node.type(0).getElementType(), values)});
}

} // namespace

void addRangeHandlers(Handlers &handlers) {
  handlers["Fill"] = {importFill, Takes::complex};
  handlers["ZerosLike"] = {importLike, Takes::complex};
  handlers["OnesLike"] = {importLike, Takes::complex};
  handlers["Empty"] = {importEmpty, Takes::dynamic};
  handlers["Range"] = {importRange, Takes::dynamic};
  handlers["LinSpace"] = importLinSpace;
  handlers["RaggedRange"] = importRaggedRange;
}

} // namespace weir::tensorflow
