// What kernels that arrange weights for others check.

#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace weir::kernel;

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

WeightsSource PackOp::getSource() {
  ShapedType b = shaped(getB());
  ArrayRef<int64_t> matrix = b.getShape().take_back(2);
  bool t = getTransposeB();
  WeightsSource source;
  source.batches.assign(b.getShape().begin(), b.getShape().end() - 2);
  source.depth = matrix[t], source.columns = matrix[!t];
  source.depthStride = t ? 1 : matrix[1];
  source.columnStride = t ? matrix[1] : 1;
  source.element = b.getElementType();
  return source;
}

static WeightsSource filterSource(ShapedType filter, int64_t groups) {
  ArrayRef<int64_t> shape = filter.getShape();
  WeightsSource source;
  source.groups = groups;
  source.taps.assign(shape.begin(), shape.end() - 2);
  source.depth = shape.end()[-2], source.columns = shape.back() / groups;
  source.depthStride = shape.back();
  source.element = filter.getElementType();
  return source;
}

WeightsSource PackFilterOp::getSource() {
  return filterSource(shaped(getFilter()), static_cast<int64_t>(getGroups()));
}

WeightsSource TransformFilterOp::getSource() {
  return filterSource(shaped(getFilter()), /*groups=*/1);
}

// (C1), but for the shape.
static LogicalResult verifyElements(PackOpInterface pack) {
  auto from = pack.getSource().element;
  auto to = cast<ShapedType>(pack.getOut().getType()).getElementType();
  Type wanted = pack.getLayout().getFormat().elementOf(pack.getLayout(), from);
  bool isNarrowed = wanted && wanted.isF32() && (to.isF16() || to.isBF16());
  if (!wanted || (to != wanted && !isNarrowed))
    return pack->emitOpError("cannot pack ")
           << from << " as " << to << " in " << pack.getLayout();
  return success();
}

LogicalResult PackOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  ShapedType b = shaped(getB()), out = shaped(getOut());
  // (C1)
  if (b.getRank() < 2)
    return emitOpError("cannot pack ") << b;
  if (failed(verifyElements(cast<PackOpInterface>(getOperation()))))
    return failure();
  LayoutUser user{LayoutUser::Pack, getSource(), out.getElementType()};
  return verifyLayout(*this, getLayout(), out, user);
}

LogicalResult PackFilterOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  ShapedType filter = shaped(getFilter()), out = shaped(getOut());
  auto groups = static_cast<int64_t>(getGroups());
  // (C1)
  if (filter.getRank() < 2 || groups < 1 || filter.getShape().back() % groups)
    return emitOpError("cannot have ") << groups << " groups of " << filter;
  if (failed(verifyElements(cast<PackOpInterface>(getOperation()))))
    return failure();
  LayoutUser user{LayoutUser::Pack, getSource(), out.getElementType()};
  // Windows of one element need no dimensions.
  LayoutUser flat = user;
  flat.weights.taps.clear();
  const LayoutFormat &format = getLayout().getFormat();
  if (llvm::all_of(user.weights.taps, [](int64_t size) { return size == 1; }) &&
      format.serves(getLayout(), flat) &&
      out.getShape() ==
          ArrayRef<int64_t>(format.shapeOf(getLayout(), flat.weights)))
    return success();
  return verifyLayout(*this, getLayout(), out, user);
}

std::optional<WinogradTransform> TransformFilterOp::getWindow() {
  ShapedType filter = shaped(getFilter());
  if (filter.getRank() != 4 || !getLayout().isWinograd())
    return std::nullopt;
  return WinogradTransform::of(getLayout().getTiles(),
                               filter.getShape().take_front(2),
                               getLayout().getStrides());
}

LogicalResult TransformFilterOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  ShapedType filter = shaped(getFilter()), out = shaped(getOut());
  // (C1)
  if (filter.getRank() != 4 || !sumType(filter.getElementType()).isF32())
    return emitOpError("cannot transform ") << filter << " to " << out;
  LayoutUser user{LayoutUser::Transform, getSource(), out.getElementType()};
  return verifyLayout(*this, getLayout(), out, user);
}
