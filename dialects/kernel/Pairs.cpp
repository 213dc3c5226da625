// What kernels check of pairs of products.

#include "dialects/kernel/Pairs.h"

#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace weir::kernel;

static bool areFloats(Value value) {
  return cast<ShapedType>(value.getType()).getElementType().isF32();
}

static bool arePanels(Value panels, int64_t depth, int64_t columns) {
  ArrayRef<int64_t> shape = cast<ShapedType>(panels.getType()).getShape();
  // No sum of sizes may overflow.
  return areFloats(panels) && shape.size() == 3 && depth > 0 &&
         shape[0] == llvm::divideCeilSigned(columns, Pairs::panelWidth) &&
         shape[1] - Pairs::linesAfter == depth && shape[2] == Pairs::panelWidth;
}

// (C2)
LogicalResult PackOp::verifyPairs() {
  auto b = cast<ShapedType>(getB().getType());
  bool t = getTransposeB();
  if (b.getRank() != 2 || !areFloats(getB()) ||
      !arePanels(getOut(), b.getDimSize(t), b.getDimSize(!t)))
    return emitOpError("cannot pack ")
           << b << " as pairs of " << getOut().getType();
  return success();
}

// (C6)
LogicalResult ConvolutionOp::verifyPairs() {
  auto x = cast<ShapedType>(getX().getType());
  auto out = cast<ShapedType>(getOut().getType());
  Type sum = getEpilogue().front().getArgument(0).getType();
  // No product of sizes may overflow.
  int64_t depth = x.getShape().back();
  ArrayRef<int64_t> window = *getPairsOf();
  bool fits = int64_t(window.size()) == x.getRank() - 2;
  for (int64_t size : window)
    fits = fits && size > 0 && !llvm::MulOverflow(depth, size, depth);
  if (!fits || isTiled() || getUnsignedX() || getGroups() != 1 ||
      !areFloats(getX()) || !sum.isF32() ||
      !arePanels(getFilter(), depth, out.getShape().back()))
    return emitOpError("cannot use pairs of ") << getFilter().getType();
  return success();
}

// (C8)
LogicalResult MatmulOp::verifyPairs() {
  auto a = cast<ShapedType>(getA().getType());
  auto out = cast<ShapedType>(getOut().getType());
  Type sum = getEpilogue().front().getArgument(0).getType();
  if (isTiled() || getUnsignedA() || getTransposeA() ||
      (out.getRank() > 2 && !getShared()) || !areFloats(getA()) ||
      !sum.isF32() ||
      !arePanels(getB(), a.getShape().back(), out.getShape().back()))
    return emitOpError("cannot multiply ")
           << a << " by pairs of " << getB().getType();
  return success();
}
