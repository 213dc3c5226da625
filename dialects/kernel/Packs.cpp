// What kernels that arrange weights for others check.

#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace weir::kernel;

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

LogicalResult PackOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  ShapedType b = shaped(getB()), out = shaped(getOut());
  int64_t rank = b.getRank();
  if (getPaired())
    return verifyPairs();
  // (C1)
  if (rank < 2 || out.getRank() != rank + 1 ||
      b.getElementType() != out.getElementType() ||
      b.getShape().drop_back(2) != out.getShape().drop_back(3) ||
      b.getShape().take_back(2)[getTransposeB()] != out.getDimSize(rank - 1))
    return emitOpError("cannot pack ") << b << " as " << out;
  int64_t columns = b.getShape().take_back(2)[!getTransposeB()];
  int64_t width = out.getShape().back();
  if (width == 0 ||
      out.getDimSize(rank - 2) != columns / width + (columns % width != 0))
    return emitOpError("cannot pack ") << b << " as " << out;
  return success();
}

LogicalResult PackFilterOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  ShapedType filter = shaped(getFilter()), out = shaped(getOut());
  int64_t rank = filter.getRank(), groups = getGroups();
  // (C1)
  if (groups < 1 || rank < 2 || out.getRank() != rank + 1 ||
      filter.getElementType() != out.getElementType() ||
      filter.getShape().drop_back() !=
          out.getShape().drop_front().drop_back() ||
      filter.getShape().back() % groups)
    return emitOpError("cannot pack ") << filter << " as " << out;
  int64_t each = filter.getShape().back() / groups;
  int64_t width = out.getShape().back();
  if (width == 0 ||
      out.getDimSize(0) != groups * (each / width + (each % width != 0)))
    return emitOpError("cannot pack ") << filter << " as " << out;
  return success();
}

std::optional<MinimalWindow> TransformFilterOp::getWindow() {
  ShapedType filter = shaped(getFilter());
  if (filter.getRank() != 4)
    return std::nullopt;
  return MinimalWindow::of(getTiles(), filter.getShape().take_front(2),
                           getStrides());
}

LogicalResult TransformFilterOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  ShapedType filter = shaped(getFilter()), out = shaped(getOut());
  std::optional<MinimalWindow> window = getWindow();
  // (C1)
  bool fits = window && sumType(filter.getElementType()).isF32() &&
              out.getElementType().isF32() && out.getRank() == 4 &&
              out.getDimSize(1) == window->products() &&
              out.getDimSize(2) == filter.getDimSize(2);
  int64_t width = fits ? out.getDimSize(3) : 0;
  if (width == 0 || out.getDimSize(0) !=
                        int64_t(llvm::divideCeil(filter.getDimSize(3), width)))
    return emitOpError("cannot transform ") << filter << " to " << out;
  return success();
}
