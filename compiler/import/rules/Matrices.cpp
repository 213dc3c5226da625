// Masks what matrices have in common, and finds the sizes of their product.

#include "compiler/import/rules/Matrices.h"

#include "compiler/import/Tracing.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"

using namespace mlir;

namespace weir {

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
                               SmallVectorImpl<Value> &positions) {
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
    positions.push_back(paddedTo(node.b, x.value, bounds));
  }
  Sizes result = *batch;
  result.push_back(sizes[0][outer[0]]);
  result.push_back(sizes[1][outer[1]]);
  return result;
}

} // namespace weir
