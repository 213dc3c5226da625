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
  // (C1)
  if (b.getRank() < 2 || b.getElementType() != out.getElementType())
    return emitOpError("cannot pack ") << b << " as " << out;
  ArrayRef<int64_t> matrix = b.getShape().take_back(2);
  LayoutUser user{LayoutUser::Pack, {}, out.getElementType()};
  user.weights.batches.assign(b.getShape().begin(), b.getShape().end() - 2);
  user.weights.depth = matrix[getTransposeB()];
  user.weights.columns = matrix[!getTransposeB()];
  return verifyLayout(*this, getLayout(), out, user);
}

LogicalResult PackFilterOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  ShapedType filter = shaped(getFilter()), out = shaped(getOut());
  int64_t rank = filter.getRank(), groups = getGroups();
  // (C1)
  if (groups < 1 || rank < 2 || filter.getShape().back() % groups ||
      filter.getElementType() != out.getElementType())
    return emitOpError("cannot pack ") << filter << " as " << out;
  LayoutUser user{LayoutUser::Pack, {}, out.getElementType()};
  user.weights.groups = groups;
  user.weights.taps.assign(filter.getShape().begin(),
                           filter.getShape().end() - 2);
  user.weights.depth = filter.getShape().end()[-2];
  user.weights.columns = filter.getShape().back() / groups;
  return verifyLayout(*this, getLayout(), out, user);
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
