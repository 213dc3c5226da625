// Convolutions by tile registers; f32 is split as for matrix products.
//
// A strip of an image is taken apart once, with its border of zeros, into
// positions of 32 channels of one part. Of windows that step by more than one,
// pixels of each phase of the steps are an image of their own (TileWindows), so
// that the rows of a tile are neighbouring positions from anywhere on, and no
// window is copied.
//
// The loops, from outside: strips of an image, blocks of the depth, panels of
// 32 channels, blocks of two tiles. Threads share strips, or panels where
// strips are few. All of a strip goes to vector registers where a pixel has an
// element without parts.

#include "passes/cpu/windows/TileConvolution.h"

#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {

TileConvolution::TileConvolution(Emitter &e, kernel::ConvolutionOp op,
                                 Value filter, const kernel::Target &target)
    : TileLoops(e, op, filter, op.getOut(), kernel::TilesShape(op, target),
                target),
      convolution(op), flat(e.shape(op.getX()).size() == 3),
      windows(shape.windows(schedule)), images(shape.images),
      channels(shape.channels), channelSteps(shape.channelSteps) {}

// Lines of a phase that a strip reads, at most.
int64_t TileConvolution::linesAStrip() const {
  int64_t lines =
      windows.byLine
          ? llvm::divideCeil(blocksAStrip() * tall, windows.tilesALine)
          : llvm::divideCeil(blocksAStrip() * blockRows(), windows.pitch());
  return std::min(lines + 1, y.results) + y.reach();
}

void TileConvolution::begin() {
  // A last block may have a tile after the last one.
  int64_t positions = (linesAStrip() + 1) * windows.pitch() + blockRows();
  split =
      e.buffer({channelSteps, parts, windows.phases(), positions, stepDepth},
               e.getBF16Type());
  fits = e.buffer({1}, e.getI32Type());
  allocateScratch(blocksAStrip());
}

Value TileConvolution::minus(Value a, Value b) {
  return e.create<arith::SubIOp>(a, b);
}

// The line and the position in it of the first result of a tile.
std::pair<Value, Value> TileConvolution::startOf(Value tile) {
  if (windows.byLine)
    return {e.dividedBy(tile, windows.tilesALine),
            e.times(e.modulo(tile, windows.tilesALine), height)};
  Value number = e.times(tile, height);
  return {e.dividedBy(number, windows.pitch()),
          e.modulo(number, windows.pitch())};
}

Value TileConvolution::firstLine(Value block) {
  return startOf(firstTile(block)).first;
}

Emitter::Values TileConvolution::pixel(Value row, Value column) {
  if (flat)
    return {image, column};
  return {image, row, column};
}

// Where a tap of a step of the depth is.
std::pair<Value, Value> TileConvolution::tapOf(Value step) {
  Value tap = e.dividedBy(step, channelSteps);
  return {e.dividedBy(tap, x.taps), e.modulo(tap, x.taps)};
}

void TileConvolution::loadLeft(int tile, const Unit &unit, const Depth &d,
                               Value ofDepth, int part, int i) {
  Value step = e.plus(d.first, ofDepth);
  auto [tapY, tapX] = tapOf(step);
  Value down = e.times(tapY, y.dilation), across = e.times(tapX, x.dilation);
  Value phase = e.plus(e.times(e.modulo(down, y.stride), x.phases()),
                       e.modulo(across, x.stride));
  Value first = e.plus(unit.first, unit.block);
  auto [line, column] = startOf(e.plus(firstTile(first), i));
  line =
      e.plus(minus(line, firstLine(unit.first)), e.dividedBy(down, y.stride));
  Value at = e.plus(e.times(line, windows.pitch()),
                    e.plus(column, e.dividedBy(across, x.stride)));
  registers->load(tile, split,
                  {e.modulo(step, channelSteps), e.index(part), phase, at});
}

Value TileConvolution::weightRow(Value step) {
  return e.plus(e.times(e.dividedBy(step, channelSteps), channels),
                e.times(e.modulo(step, channelSteps), stepDepth));
}

Value TileConvolution::validRows(const Unit &unit) {
  int64_t rows = windows.byLine ? windows.tiles * height : windows.positions();
  if (rows % blockRows() == 0)
    return e.index(blockRows());
  Value first = e.times(e.plus(unit.first, unit.block), blockRows());
  return e.smaller(e.index(blockRows()), minus(e.index(rows), first));
}

void TileConvolution::atResult(
    const Unit &unit, Value i,
    function_ref<void(const Emitter::Values &)> body) {
  Value first = firstTile(e.plus(unit.first, unit.block));
  Value line, column;
  if (windows.byLine) {
    std::tie(line, column) = startOf(e.plus(first, e.dividedBy(i, height)));
    column = e.plus(column, e.modulo(i, height));
  } else {
    Value number = e.plus(e.times(first, height), i);
    line = e.dividedBy(number, windows.pitch());
    column = e.modulo(number, windows.pitch());
  }
  bool all =
      windows.byLine ? x.results % height == 0 : windows.pitch() == x.results;
  if (all)
    return body(pixel(line, column));
  Value kept = e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, column,
                                       e.index(x.results));
  e.ifElse(kept, [&] { body(pixel(line, column)); }, [] {});
}

// Some strips, counted over all images, against some panels.
void TileConvolution::stripsBetween(Value low, Value high, Value firstPanel,
                                    Value endPanel) {
  begin();
  configured([&] {
    e.loop(low, high, 1, [&](Value workItem) {
      image = e.dividedBy(workItem, slabs.count);
      Value strip = e.modulo(workItem, slabs.count);
      Value first = e.beginOf(slabs, strip);
      Value count = e.sizeOf(slabs, strip, first);
      Panels some = {firstPanel, endPanel, count, slabs.size};
      takeApart(first, count);
      eachDepth([&](const Depth &d) { multiply(first, some, d); });
      finishLast(first, some);
    });
  });
}

void TileConvolution::run() {
  eachShare(images,
            [&](Value low, Value high, Value firstPanel, Value endPanel) {
              stripsBetween(low, high, firstPanel, endPanel);
            });
}

void emitTileConvolution(Emitter &e, kernel::ConvolutionOp op,
                         const kernel::Target &target) {
  // Taps and blocks of channels are the steps of the depth.
  ArrayRef<int64_t> shape = e.shape(op.getFilter());
  int64_t spatial = e.shape(op.getX()).size() - 2;
  SmallVector<ReassociationIndices> dims = {{0}, {}};
  for (int64_t d = 1; d <= spatial + 1; ++d)
    dims[1].push_back(d);
  for (int64_t d = spatial + 2; d < int64_t(shape.size()); ++d)
    dims.push_back({d});
  Value filter = e.create<memref::CollapseShapeOp>(op.getFilter(), dims);
  TileConvolution(e, op, filter, target).run();
}

} // namespace weir::cpu
