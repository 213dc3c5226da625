// Reads the sizes of products and convolutions for tile registers off their op.

#include "dialects/kernel/schedule/tiles/TilesShape.h"

#include "dialects/kernel/schedule/SpatialWindows.h"

using namespace mlir;

namespace weir::kernel {

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

void TilesShape::fill(LayoutAttr layout, ShapedType b, ShapedType out,
                      const Target &target) {
  areBytes = b.getElementType().isInteger(8);
  hasTiles = areBytes ? target.byteTiles : target.tiles;
  splitsWeights = layout.isAmxPanels();
  split = layout.getSplit();
  columns = out.getShape().back();
  panels = b.getDimSize(0);
  stepDepth = areBytes ? 2 * side : side;
  int64_t bits = std::max(8u, b.getElementTypeBitWidth());
  weights = b.getNumElements() * (bits / 8);
}

TilesShape::TilesShape(MatmulOp op, const Target &target) {
  ShapedType b = shaped(op.getB()), out = shaped(op.getOut());
  fill(op.getLayout(), b, out, target);
  // Dot products multiply no terms of split weights.
  hasDots = split == 1 && (areBytes ? target.dots : target.pairDots);
  steps = splitsWeights ? llvm::divideCeil(b.getDimSize(1), stepDepth)
                        : b.getDimSize(1);
  rows = ShapedType::getNumElements(out.getShape().drop_back());
  depth = shaped(op.getA()).getShape().back();
  products = double(rows) * double(columns) * double(depth);
}

TilesShape::TilesShape(ConvolutionOp op, const Target &target) {
  ShapedType from = shaped(op.getX()), b = shaped(op.getFilter()),
             out = shaped(op.getOut());
  fill(op.getLayout(), b, out, target);
  isConvolution = true;
  hasDots = false;
  images = from.getDimSize(0);
  channels = from.getShape().back();
  channelSteps = llvm::divideCeil(channels, side);
  SpatialWindows s(op, b.getShape().slice(1, from.getRank() - 2));
  y = {s.strideY, s.dilationY, s.lowY, s.height, s.outHeight, s.windowHeight};
  x = {s.strideX, s.dilationX, s.lowX, s.width, s.outWidth, s.windowWidth};
  steps = y.taps * x.taps * channelSteps;
  if (out.getNumElements() == 0)
    return;
  TileWindows even(y, x);
  products = double(images * even.tiles * even.height) *
             double(steps * stepDepth * columns);
}

bool hasTilesSchedule(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getLayout().isAmx();
  auto convolution = dyn_cast<ConvolutionOp>(op);
  return convolution && convolution.getLayout().isAmx();
}

TilesShape TilesShape::of(Operation *kernel, const Target &target) {
  if (auto matmul = dyn_cast<MatmulOp>(kernel))
    return TilesShape(matmul, target);
  return TilesShape(cast<ConvolutionOp>(kernel), target);
}

// A fixed block may be less than a tile; the verifier refuses it later.
int64_t TilesShape::blocks(const TilesSchedule &schedule) const {
  if (!isConvolution)
    return llvm::divideCeil(rows, schedule.blockRows);
  int64_t tall = std::max<int64_t>(1, schedule.blockRows / schedule.tileRows);
  return llvm::divideCeil(windows(schedule).tiles, tall);
}

int64_t TilesShape::spilledBytes(const TilesSchedule &schedule) const {
  if (schedule.depthBlock >= steps)
    return 0;
  int64_t ofSlab = llvm::divideCeil(blocks(schedule), schedule.slabs);
  return ofSlab * panels * side * side * 4;
}

} // namespace weir::kernel
