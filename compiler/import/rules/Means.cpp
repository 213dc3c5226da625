// Means of the elements that count.

#include "compiler/import/rules/Means.h"

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir {

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
  // f16 and bf16 sums stay f32 until the quotient, so that they cannot
  // overflow.
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    x = cast(x, node.b.getF32Type());
  Expr y = cast(sum(x, dims, keep) / cast(count, x.elementType()), type);
  return failed(give(node, y)) ? failure()
                               : giveSizes(node, 0, leftOf(node, dims, keep));
}

} // namespace weir
