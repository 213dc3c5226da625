// What the ops of family Neural check, infer and fold.

#include "dialects/graph/Neural.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/NeuralOps.cpp.inc"

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  auto a = cast<RankedTensorType>(adaptor.getA().getType());
  auto b = cast<RankedTensorType>(adaptor.getB().getType());
  // (C1)
  if (a.getElementType() != b.getElementType() || a.getRank() < 2 ||
      a.getRank() != b.getRank() ||
      a.getShape().drop_back(2) != b.getShape().drop_back(2))
    return emitOptionalError(loc, "cannot multiply ", a, " by ", b);
  auto rows = a.getShape().take_back(2), columns = b.getShape().take_back(2);
  bool ta = adaptor.getTransposeA(), tb = adaptor.getTransposeB();
  // (C2)
  if (rows[!ta] != columns[tb])
    return emitOptionalError(loc, "contracts ", rows[!ta], " elements of ", a,
                             " with ", columns[tb], " of ", b);
  SmallVector<int64_t> shape(a.getShape());
  shape[a.getRank() - 2] = rows[ta];
  shape[a.getRank() - 1] = columns[!tb];
  results.push_back(a.clone(shape));
  return success();
}
