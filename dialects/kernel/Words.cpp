// What kernels of bytes check of weights in words.

#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace weir::kernel;

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

// Words in the last two dimensions but one of weights: panels of `columns`
// columns, of `depth` elements each.
static bool holdsWords(ShapedType w, int64_t panels, int64_t depth,
                       int64_t columns) {
  ArrayRef<int64_t> shape = w.getShape();
  int64_t width = shape[shape.size() - 2];
  return shape.back() == 4 && width > 0 &&
         shape[shape.size() - 3] == llvm::divideCeilSigned(depth, 4) &&
         shape[0] == panels * llvm::divideCeilSigned(columns, width);
}

bool MatmulOp::isInWords() {
  return getUnsignedA() && !isTiled() && shaped(getB()).getRank() == 4 &&
         (getShared() || shaped(getOut()).getRank() == 2);
}

// (C7)
LogicalResult MatmulOp::verifyWords() {
  ShapedType a = shaped(getA()), b = shaped(getB()), out = shaped(getOut());
  if (getTransposeA() ||
      !holdsWords(b, 1, a.getShape().back(), out.getShape().back()))
    return emitOpError("cannot multiply ") << a << " by words " << b;
  return success();
}

bool ConvolutionOp::isInWords() {
  return getUnsignedX() &&
         shaped(getFilter()).getRank() == shaped(getX()).getRank() + 2;
}

// (C4)
LogicalResult ConvolutionOp::verifyWords() {
  ShapedType x = shaped(getX()), w = shaped(getFilter()),
             out = shaped(getOut());
  int64_t groups = getGroups();
  if (!holdsWords(w, groups, x.getShape().back() / groups,
                  out.getShape().back() / groups))
    return emitOpError("cannot convolve ") << x << " with words " << w;
  return success();
}

// (C4)
LogicalResult DepthwiseOp::verifyWords() {
  ShapedType x = shaped(getX()), w = shaped(getFilter());
  int64_t rows = *getRows();
  if (!getUnsignedX() || rows < 1 || x.getRank() != 4 || w.getRank() != 5 ||
      x.getShape().back() != shaped(getOut()).getShape().back() ||
      w.getDimSize(0) != llvm::divideCeilSigned(x.getShape().back(), 64) ||
      w.getDimSize(2) != llvm::divideCeilSigned(rows, 4) ||
      w.getShape().take_back(2) != ArrayRef<int64_t>{64, 4})
    return emitOpError("cannot use words ") << w;
  return success();
}
