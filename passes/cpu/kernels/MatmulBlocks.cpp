// How a product of matrices is cut for registers and caches.

#include "passes/cpu/kernels/MatmulBlocks.h"

using namespace mlir;

namespace weir {

// Whether more rows of a tile than half the ways of L1 fall on one set.
static bool rowsCollide(kernel::MatmulOp op, const MatmulBlocks &blocks,
                        const kernel::Target &target) {
  auto type = cast<MemRefType>(op.getA().getType());
  int64_t offset;
  SmallVector<int64_t> strides;
  if (op.getTransposeA() || blocks.columns <= blocks.lanes || blocks.rows < 2 ||
      failed(getStridesAndOffset(type, strides, offset)))
    return false;
  int64_t stride = strides[strides.size() - 2];
  if (ShapedType::isDynamic(stride))
    return false;
  // At a stride that is a power of two LLVM's scheduler takes the rows of a
  // tile for one cluster of loads, hoists them all, and spills the sums.
  if (llvm::isPowerOf2_64(stride))
    return blocks.depth > 8;
  int64_t bytes = Emitter::elementBytes(op.getA());
  return blocks.depth * bytes > 64 &&
         target.linesCollide(stride * bytes,
                             std::min(blocks.rows, blocks.height));
}

MatmulBlocks::MatmulBlocks(kernel::MatmulOp op, const kernel::Target &target) {
  Value a = op.getA(), b = op.getB(), out = op.getOut();
  ArrayRef<int64_t> shape = Emitter::shape(out);
  rows = shape[shape.size() - 2];
  columns = shape.back();
  depth = Emitter::shape(a).take_back(2)[!op.getTransposeA()];
  sumElement = op.getEpilogue().front().getArgument(0).getType();
  lanes = target.lanes(sumElement);
  panel = op.isPacked() ? Emitter::shape(b).back() : 0;
  // A panel that was packed for another vector width is read in parts.
  int64_t whole = panel ? panel : target.panelWidth(sumElement, columns);
  while (whole % lanes)
    lanes = lanes > 1 ? lanes / 2 : 1;
  width = whole % (2 * lanes) ? lanes : std::min(whole, 2 * lanes);
  int64_t vectors = width / lanes;
  // Low tiles whose sums are in two sets: chains of additions are half as long,
  // and what goes on between them overlaps better with that of the next tile.
  int64_t registers = target.registers - vectors - 1;
  leastSums = registers >= 20 ? 16 : 8;
  height = (registers >= 20 ? 10 : registers) / vectors;

  int64_t bytes = std::max<int64_t>(1, sumElement.getIntOrFloatBitWidth() / 8);
  EvenSplit tiles(rows, height);
  depthBlock = depth;
  // Between blocks of the depth the sums wait in the result, which must hold
  // them exactly; a product that reads B once needs no blocks.
  if (sumElement == Emitter::element(out) && tiles.count > 1) {
    int64_t most = std::max<int64_t>(64, target.l1 / 4 * 3 / (width * bytes));
    EvenSplit blocks(depth, most);
    depthBlock = (blocks.size + (blocks.larger != 0) + 7) / 8 * 8;
  }
  tilesABlock = std::max<int64_t>(
      1, target.l2 / 2 / std::max<int64_t>(1, height * depth * bytes));
  tilesABlock = std::min(tilesABlock, tiles.count);
  // Where all of B stays in L2, so few rows at a time that what their epilogue
  // touches is read and written as long runs.
  int64_t touched = (1 + op.getExtras().size()) * columns * bytes;
  touchesMuch = rows * touched > target.l2 / 2;
  if (touchesMuch && columns * depth * bytes <= target.l2 / 2)
    tilesABlock = std::clamp<int64_t>(target.l2 / 16 / (height * touched), 1,
                                      tilesABlock);
  copiesRows =
      rowsCollide(op, *this, target) ||
      (sumElement != Emitter::element(a) && tiles.count * columns > width);
}

} // namespace weir
