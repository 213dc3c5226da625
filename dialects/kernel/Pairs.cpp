// What kernels check of pairs of products.

#include "dialects/kernel/Pairs.h"

#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace weir::kernel;

static bool arePanels(ShapedType panels, int64_t depth, int64_t columns) {
  SmallVector<int64_t> wanted = {
      llvm::divideCeilSigned(columns, Pairs::panelWidth),
      depth + Pairs::linesAfter, Pairs::panelWidth};
  return panels.getShape() == ArrayRef<int64_t>(wanted);
}

// (C2)
LogicalResult PackOp::verifyPairs() {
  auto b = cast<ShapedType>(getB().getType());
  auto out = cast<ShapedType>(getOut().getType());
  bool t = getTransposeB();
  if (b.getRank() != 2 || !b.getElementType().isF32() ||
      !out.getElementType().isF32() ||
      !arePanels(out, b.getDimSize(t), b.getDimSize(!t)))
    return emitOpError("cannot pack ") << b << " as pairs of " << out;
  return success();
}

// (C6)
LogicalResult ConvolutionOp::verifyPairs() {
  auto x = cast<ShapedType>(getX().getType());
  auto filter = cast<ShapedType>(getFilter().getType());
  auto out = cast<ShapedType>(getOut().getType());
  Type sum = getEpilogue().front().getArgument(0).getType();
  // No product of sizes may overflow.
  int64_t depth = x.getShape().back();
  bool fits = int64_t(getPairsOf()->size()) == x.getRank() - 2;
  for (int64_t size : *getPairsOf())
    fits = fits && size > 0 && !llvm::MulOverflow(depth, size, depth);
  if (!fits || isTiled() || getUnsignedX() || getGroups() != 1 ||
      !sum.isF32() || !arePanels(filter, depth, out.getShape().back()))
    return emitOpError("cannot use pairs of ") << filter;
  return success();
}

// (C8)
LogicalResult MatmulOp::verifyPairs() {
  auto a = cast<ShapedType>(getA().getType());
  auto b = cast<ShapedType>(getB().getType());
  auto out = cast<ShapedType>(getOut().getType());
  Type sum = getEpilogue().front().getArgument(0).getType();
  if (isTiled() || getUnsignedA() || getTransposeA() ||
      (out.getRank() > 2 && !getShared()) || !sum.isF32() ||
      !arePanels(b, a.getShape().back(), out.getShape().back()))
    return emitOpError("cannot multiply ") << a << " by pairs of " << b;
  return success();
}
