// What kernel.matmul checks of weights in tiles.

#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace weir::kernel;

// (C6)
LogicalResult MatmulOp::verifyTiles() {
  auto a = cast<ShapedType>(getA().getType());
  auto b = cast<ShapedType>(getB().getType());
  auto out = cast<ShapedType>(getOut().getType());
  ArrayRef<int32_t> range = *getRange();
  Type element = a.getElementType(), part = b.getElementType();
  bool bytes = part.isInteger(8);
  if (range.size() != 2 || range[0] > range[1] || (!bytes && range[0] < 1))
    return emitOpError("has no range of magnitudes");
  Type sum = getEpilogue().front().getArgument(0).getType();
  int64_t line = bytes ? 64 : 32, most = bytes || element.isBF16() ? 1 : 3;
  bool types = (bytes ? sum.isInteger(32) : sum.isF32() && part.isBF16()) &&
               (element == sum || element == part);
  if (!types || b.getRank() != 6 || b.getDimSize(2) < 1 ||
      b.getDimSize(2) > most ||
      b.getShape().take_back(3) != ArrayRef<int64_t>{2, 16, line})
    return emitOpError("cannot multiply ") << a << " by tiles " << b;
  if (a.getRank() < 2 || getTransposeA() || getUnsignedA() ||
      (out.getRank() > 2 && !getShared()) ||
      b.getDimSize(0) != int64_t(llvm::divideCeil(out.getShape().back(), 32)) ||
      b.getDimSize(1) != int64_t(llvm::divideCeil(a.getShape().back(), line)))
    return emitOpError("cannot multiply ") << a << " by " << b;
  return success();
}
