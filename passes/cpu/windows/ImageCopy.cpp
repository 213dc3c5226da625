// Copies the images of a convolution to a buffer with a border of zeros.

#include "passes/cpu/windows/ImageCopy.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

void ImageCopy::make() {
  if (blocks.copyType)
    buffer =
        e.buffer(blocks.copyType.getShape(), blocks.copyType.getElementType());
}

// How many of `size` elements a copy of `reach` has.
static int64_t copied(int64_t size, const TileReach &reach) {
  return std::clamp<int64_t>(reach.extent - reach.border, 0, size);
}

void ImageCopy::clear(Value firstRow, Value endRow) {
  ArrayRef<int64_t> shape = e.shape(buffer);
  int64_t row = shape[1] * shape[2];
  SmallVector<ReassociationIndices> all = {{0, 1, 2}};
  Value run = e.create<memref::CollapseShapeOp>(buffer, all);
  auto elements = [&](Value first, Value end) {
    e.clear(run, first, end, blocks.lanes * blocks.unit);
  };
  auto rows = [&](Value first, Value end) {
    elements(e.times(first, row), e.times(end, row));
  };
  if (blocks.copyChannels != blocks.filled)
    return rows(firstRow, endRow);
  // What the image fills needs no zeros.
  const TileReach &reachY = blocks.reachY, &reachX = blocks.reachX;
  Value top = e.index(reachY.border);
  Value bottom = e.plus(top, copied(blocks.height, reachY));
  int64_t left = reachX.border * shape[2];
  int64_t right = left + copied(blocks.width, reachX) * shape[2];
  if (reachY.border)
    rows(firstRow, e.smaller(endRow, top));
  if (left || right < row)
    e.loop(e.larger(firstRow, top), e.smaller(endRow, bottom), 1, [&](Value y) {
      Value start = e.times(y, row);
      if (left)
        elements(start, e.plus(start, left));
      if (right < row)
        elements(e.plus(start, right), e.plus(start, row));
    });
  rows(e.larger(firstRow, bottom), endRow);
}

void ImageCopy::fillLine(Value image) {
  Value first = e.index(0), end = e.index(1);
  clear(first, end);
  constexpr int64_t workItem = 256; // whole vectors, of any channels
  int64_t columns = copied(blocks.width, blocks.reachX);
  int64_t workItems = llvm::divideCeil(columns, workItem);
  e.parallel(workItems, /*coarse=*/false, [&](Value low, Value high) {
    fill(image, first, end, e.times(low, workItem),
         e.smaller(e.times(high, workItem), e.index(columns)));
  });
}

void ImageCopy::fill(Value image, Value firstRow, Value endRow) {
  fill(image, firstRow, endRow, e.index(0),
       e.index(copied(blocks.width, blocks.reachX)));
}

void ImageCopy::fill(Value image, Value firstRow, Value endRow,
                     Value firstColumn, Value endColumn) {
  const TileReach &reachY = blocks.reachY, &reachX = blocks.reachX;
  Value x = op.getX();
  auto type = cast<MemRefType>(x.getType());
  Type element = e.element(buffer);
  int64_t rows = copied(blocks.height, reachY);
  int64_t columns = copied(blocks.width, reachX);
  if (rows == 0 || columns == 0)
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
  // `first` to before `end` of a run.
  auto move = [&](Value row, Value column, Value first, Value end) {
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
    Value whole = e.index(count / step * step);
    e.loop(first, e.smaller(end, whole), step,
           [&](Value c) { vector(c, step); });
    if (count % step)
      e.loop(e.larger(first, whole), end, step,
             [&](Value c) { vector(c, count % step); });
  };
  e.loop(low, high, 1, [&](Value row) {
    if (joined)
      return move(row, nullptr, e.times(firstColumn, blocks.channels),
                  e.times(endColumn, blocks.channels));
    e.loop(firstColumn, endColumn, 1, [&](Value column) {
      move(row, column, e.index(0), e.index(count));
    });
  });
}

} // namespace weir::cpu
