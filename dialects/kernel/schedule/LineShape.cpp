// Reads the sizes of windows off their op.

#include "dialects/kernel/schedule/LineShape.h"

using namespace mlir;

namespace weir::kernel {

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

static Type sumOf(KernelOpInterface op) {
  return op.getEpilogue().front().getArgument(0).getType();
}

// The spatial sizes of the filter; in the VNNI layout its rows are apart.
static SmallVector<int64_t> windowOf(DepthwiseOp op) {
  ArrayRef<int64_t> filter = shapeOf(op.getFilter());
  if (op.getLayout().isVnniRows())
    return {op.getLayout().getRows(), filter[1]};
  return SmallVector<int64_t>(filter.take_front(shapeOf(op.getX()).size() - 2));
}

// Vectors of few channels are as short as these allow.
static int64_t shortened(int64_t lanes, int64_t channels) {
  while (lanes > 1 && lanes / 2 >= channels)
    lanes /= 2;
  return lanes;
}

void LineShape::fill(Value x, Value out, Type sum, const Target &target) {
  images = shapeOf(x)[0];
  channels = shapeOf(out).back();
  sumElement = sum;
  xElement = getElementTypeOrSelf(x.getType());
  outElement = getElementTypeOrSelf(out.getType());
  xElements = ShapedType::getNumElements(shapeOf(x));
  lanes = shortened(target.lanes(sum), channels);
}

LineShape::LineShape(DepthwiseOp op, const Target &target)
    : SpatialWindows(op, windowOf(op)) {
  fill(op.getX(), op.getOut(), sumOf(op), target);
  inputs = op.channelsOfGroup();
  if (!op.getLayout().isVnniRows())
    return;
  kind = LineKind::interleaved;
  inputs = 1;
  lanes = target.lanes(sumElement);
}

LineShape::LineShape(PoolOp op, const Target &target)
    : SpatialWindows(op, op.getWindow()) {
  fill(op.getX(), op.getOut(), sumOf(op), target);
}

LineShape::LineShape(ConvolutionOp op, const Target &target)
    : SpatialWindows(op, shapeOf(op.getFilter()).drop_front().drop_back(2)) {
  fill(op.getX(), op.getOut(), sumOf(op), target);
  kind = LineKind::dots;
  inputs = shapeOf(op.getX()).back();
  lanes = shortened(target.lanes(sumElement), inputs);
}

bool hasLineSchedule(Operation *op) {
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    return convolution.getLayout().isKMajor();
  return isa<DepthwiseOp, PoolOp>(op);
}

LineShape LineShape::of(Operation *kernel, const Target &target) {
  if (auto depthwise = dyn_cast<DepthwiseOp>(kernel))
    return LineShape(depthwise, target);
  if (auto pool = dyn_cast<PoolOp>(kernel))
    return LineShape(pool, target);
  return LineShape(cast<ConvolutionOp>(kernel), target);
}

} // namespace weir::kernel
