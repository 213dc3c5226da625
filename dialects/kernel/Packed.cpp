// What kernels that unpack weights check.

#include "dialects/kernel/Packed.h"

using namespace mlir;
using namespace weir::kernel;

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

PackedWeights PackedMatmulOp::layout() {
  return {shaped(getA()).getShape().back(), shaped(getOut()).getShape().back(),
          static_cast<int64_t>(getBits()),  static_cast<int64_t>(getBlock()),
          getScaleType().isF32() ? 4 : 2,
          /*hasZeros=*/!getZero()};
}

LogicalResult PackedMatmulOp::verify() {
  if (getEpilogue().front().getNumArguments() == 0)
    return emitOpError("epilogue takes no sum");
  if (failed(verifyForm(*this)))
    return failure();
  ShapedType a = shaped(getA()), weights = shaped(getWeights()),
             out = shaped(getOut());
  // (C1)
  Type sum = getEpilogue().front().getArgument(0).getType();
  if (a.getRank() != 2 || out.getRank() != 2 ||
      a.getDimSize(0) != out.getDimSize(0) || !a.getElementType().isF32() ||
      !sum.isF32())
    return emitOpError("cannot make ") << out << " of rows of " << a;
  // (C2)
  Type scale = getScaleType();
  PackedWeights packed = layout();
  if (!packed.isValid() ||
      !(scale.isF32() || scale.isF16() || scale.isBF16()) ||
      !weights.getElementType().isInteger(8) ||
      weights.getShape() !=
          ArrayRef<int64_t>{packed.panels(), packed.panelBytes()})
    return emitOpError("cannot multiply ") << a << " by " << weights;
  return verifyEpilogue(*this);
}
