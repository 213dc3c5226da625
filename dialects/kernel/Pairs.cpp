// What kernel.matmul checks of pairs of products.

#include "dialects/kernel/Pairs.h"

#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace weir::kernel;

// (C8)
LogicalResult MatmulOp::verifyPairs() {
  auto a = cast<ShapedType>(getA().getType());
  auto b = cast<ShapedType>(getB().getType());
  auto out = cast<ShapedType>(getOut().getType());
  Type sum = getEpilogue().front().getArgument(0).getType();
  int64_t panels =
      llvm::divideCeilSigned(out.getShape().back(), Pairs::panelWidth);
  SmallVector<int64_t> wanted = {
      panels, a.getShape().back() + Pairs::linesAfter, Pairs::panelWidth};
  if (isTiled() || getUnsignedA() || getTransposeA() ||
      (out.getRank() > 2 && !getShared()) || !sum.isF32() ||
      b.getShape() != ArrayRef<int64_t>(wanted))
    return emitOpError("cannot multiply ") << a << " by pairs of " << b;
  return success();
}
