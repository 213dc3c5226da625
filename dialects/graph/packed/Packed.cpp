// What the ops of family Packed check and infer.

#include "dialects/graph/packed/Packed.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Gradients.h"
#include "dialects/kernel/PackedWeights.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/packed/PackedOps.cpp.inc"

LogicalResult DequantizeOp::verify() {
  RankedTensorType type = getType();
  auto axis = static_cast<int64_t>(getAxis()),
       block = static_cast<int64_t>(getBlock()),
       bits = static_cast<int64_t>(getBits());
  // (C1)
  if (axis < 0 || axis >= type.getRank())
    return emitOpError("has no axis ") << axis << " in " << type;
  if (block < 1 || (bits != 2 && bits != 4 && bits != 8))
    return emitOpError("has no blocks of ")
           << block << " codes of " << bits << " bits";
  auto areCodes = [&](Value codes, SmallVector<int64_t> shape) {
    auto stored = cast<RankedTensorType>(codes.getType()).getShape();
    if (stored == ArrayRef<int64_t>(shape))
      return true;
    shape.back() = llvm::divideCeil(shape.back(), 8 / bits);
    return stored == ArrayRef<int64_t>(shape);
  };
  // (C2)
  SmallVector<int64_t> shape(type.getShape());
  if (!areCodes(getCodes(), shape))
    return emitOpError("cannot make ") << type << " of codes of " << bits
                                       << " bits in " << getCodes().getType();
  // (C3)
  shape[axis] = llvm::divideCeil(shape[axis], block);
  if (getScales().getType().getShape() != ArrayRef<int64_t>(shape))
    return emitOpError("cannot scale blocks of ")
           << block << " of " << type << " by " << getScales().getType();
  if (getZeros() && !areCodes(getZeros(), shape))
    return emitOpError("cannot take zero points ")
           << getZeros().getType() << " for scales " << getScales().getType();
  return success();
}

LogicalResult PackedMatmulOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto weights = cast<RankedTensorType>(adaptor.getWeights().getType());
  Type scale = adaptor.getScaleType();
  // (C1)
  if (x.getRank() != 2)
    return emitOptionalError(loc, "cannot multiply rows of ", x);
  // (C2)
  kernel::PackedWeights packed = {x.getDimSize(1),
                                  static_cast<int64_t>(adaptor.getColumns()),
                                  static_cast<int64_t>(adaptor.getBits()),
                                  static_cast<int64_t>(adaptor.getBlock()),
                                  scale.isF32() ? 4 : 2,
                                  /*hasZeros=*/!adaptor.getZero()};
  if (!packed.isValid() || !(scale.isF32() || scale.isF16() || scale.isBF16()))
    return emitOptionalError(loc, "has no weights of ", packed.bits,
                             " bits in blocks of ", packed.block, " with ",
                             scale, " for ", x);
  // (C3)
  if (weights.getShape() !=
      ArrayRef<int64_t>{packed.panels(), packed.panelBytes()})
    return emitOptionalError(loc, "has weights in ", weights, ", not in ",
                             packed.panels(), " panels of ",
                             packed.panelBytes(), " bytes");
  SmallVector<int64_t> shape = {x.getDimSize(0), packed.columns};
  if (!countElements(shape))
    return emitOptionalError(loc, "makes too many elements");
  results.push_back(x.clone(shape));
  return success();
}
