// The largest or smallest elements along a dimension.

#include "compiler/import/rules/Tops.h"

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"

using namespace mlir;

namespace weir {

LogicalResult giveTop(TracedNode &node, int64_t axis, Expr last,
                      const Size &count) {
  SmallVector<Value> buffers{masked(node.b, node.traced(0), last, axis).value};
  if (node.has(1))
    buffers.push_back(splatBound(node, 1, count));
  if (failed(runOnPaddedBuffers(node, buffers)))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  sizes[axis] = count;
  return failed(giveSizes(node, 0, sizes)) ? failure()
                                           : giveSizes(node, 1, sizes);
}

} // namespace weir
