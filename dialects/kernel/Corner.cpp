// What copies between padded buffers and elements without gaps check.

#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace weir::kernel;

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

LogicalResult CornerOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  ShapedType flat = shaped(getFlat()), padded = shaped(getPadded());
  // (C1)
  if (flat.getRank() != 1 || flat.getNumElements() != padded.getNumElements() ||
      flat.getElementType() != padded.getElementType())
    return emitOpError("cannot copy between ") << flat << " and " << padded;
  // (C2)
  auto rank = static_cast<size_t>(padded.getRank());
  if (getOrder().size() != rank || !isPermutationVector(getOrder()))
    return emitOpError("has an order that does not permute the dimensions of ")
           << padded;
  // (C3)
  bool areDims = llvm::all_of(getDims(), [&](int64_t dim) {
    return dim >= 0 && dim < padded.getRank();
  });
  if (!areDims || getDims().size() != getSizes().size())
    return emitOpError("has ")
           << getSizes().size() << " sizes, which do not suit dimensions of "
           << padded;
  for (Value size : getSizes())
    if (shaped(size).getRank() != 0 ||
        !shaped(size).getElementType().isInteger(64))
      return emitOpError("has a size of type ") << size.getType();
  return success();
}
