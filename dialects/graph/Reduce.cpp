// What the ops of family Reduce check, infer and fold.

#include "dialects/graph/Reduce.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ReduceOps.cpp.inc"

/// The type of `x` without `dimensions`, checked as (C1).
static LogicalResult inferReduced(std::optional<Location> loc, Value x,
                                  ArrayRef<int64_t> dimensions,
                                  SmallVectorImpl<Type> &results) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape;
  size_t next = 0;
  for (auto [dimension, size] : llvm::enumerate(type.getShape())) {
    if (next < dimensions.size() &&
        dimensions[next] == static_cast<int64_t>(dimension))
      ++next;
    else
      shape.push_back(size);
  }
  if (next != dimensions.size())
    return emitOptionalError(loc, "dimensions [", dimensions,
                             "] are not ascending dimensions of ", type);
  results.push_back(type.clone(shape));
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  return inferReduced(loc, adaptor.getX(), adaptor.getDimensions(), results);
}
