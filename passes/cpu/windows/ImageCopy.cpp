// Copies the images of a convolution into a buffer with a border of zeros.

#include "passes/cpu/windows/ImageCopy.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {

void ImageCopy::make() {
  if (blocks.copyType)
    buffer =
        e.create<memref::AllocOp>(blocks.copyType, e.getI64IntegerAttr(64));
}

void ImageCopy::clear(Value firstRow, Value endRow) {
  ArrayRef<int64_t> shape = e.shape(buffer);
  int64_t row = shape[1] * shape[2];
  SmallVector<ReassociationIndices> all = {{0, 1, 2}};
  Value run = e.create<memref::CollapseShapeOp>(buffer, all);
  e.clear(run, e.times(firstRow, row), e.times(endRow, row),
          blocks.lanes * blocks.unit);
}

void ImageCopy::fill(Value image, Value firstRow, Value endRow) {
  const TileReach &reachY = blocks.reachY, &reachX = blocks.reachX;
  Value x = op.getX();
  auto type = cast<MemRefType>(x.getType());
  Type element = e.element(buffer);
  int64_t rows = std::min(blocks.height, reachY.extent - reachY.border);
  int64_t columns = std::min(blocks.width, reachX.extent - reachX.border);
  if (rows <= 0 || columns <= 0)
    return;
  Value low = e.larger(e.plus(firstRow, -reachY.border), e.index(0));
  Value high = e.smaller(e.plus(endRow, -reachY.border), e.index(rows));
  // Pixels side by side on both sides are one run, else each is.
  bool joined =
      type.getLayout().isIdentity() && blocks.copyChannels == blocks.filled;
  Value from = x, to = buffer;
  int64_t count = blocks.filled, step = blocks.lanes * blocks.unit;
  if (joined) {
    SmallVector<ReassociationIndices> source =
        blocks.flat ? SmallVector<ReassociationIndices>{{0}, {1, 2}}
                    : SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}};
    SmallVector<ReassociationIndices> target = {{0}, {1, 2}};
    from = e.create<memref::CollapseShapeOp>(x, source);
    to = e.create<memref::CollapseShapeOp>(buffer, target);
    count = columns * blocks.channels;
  }
  auto move = [&](Value row, Value column) {
    auto vector = [&](Value c, int64_t valid) {
      Emitter::Values source = {image}, target = {e.plus(row, reachY.border)};
      if (!blocks.flat)
        source.push_back(row);
      if (joined) {
        source.push_back(c);
        target.push_back(e.plus(c, reachX.border * blocks.channels));
      } else {
        source.append({column, c});
        target.append({e.plus(column, reachX.border), c});
      }
      Value some = e.load(from, source, step, valid);
      e.store(e.widen(some, element, op.getUnsignedX()), to, target, valid);
    };
    e.loop(e.index(0), e.index(count / step * step), step,
           [&](Value c) { vector(c, step); });
    if (count % step)
      vector(e.index(count / step * step), count % step);
  };
  e.loop(low, high, 1, [&](Value row) {
    e.loop(joined ? 1 : columns, [&](Value column) { move(row, column); });
  });
}

} // namespace weir
