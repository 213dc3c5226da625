// Reads the sizes of a Winograd convolution off its op.

#include "dialects/kernel/schedule/winograd/WinogradShape.h"

using namespace mlir;

namespace weir::kernel {

OutputAxis::OutputAxis(int64_t results, int64_t tile, int64_t dilation)
    : results(results), tile(tile), dilation(dilation),
      phases(std::min(dilation, results)),
      tiles(llvm::divideCeil(llvm::divideCeil(results, dilation), tile)) {}

SmallVector<int64_t> OutputAxis::counts() const {
  SmallVector<int64_t> counts;
  // The first phase has the most results, and the last the fewest.
  for (int64_t phase : {int64_t(0), phases - 1}) {
    int64_t own = llvm::divideCeil(results - phase, dilation);
    if (own >= tile)
      counts.push_back(tile);
    if (own % tile)
      counts.push_back(own % tile);
    if (own <= (tiles - 1) * tile)
      counts.push_back(0);
  }
  llvm::sort(counts, std::greater<>());
  counts.erase(llvm::unique(counts), counts.end());
  return counts;
}

bool hasWinogradSchedule(Operation *op) { return isa<WinogradOp>(op); }

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

WinogradShape::WinogradShape(WinogradOp op, const Target &target)
    : window(*op.getWindow()), images(shapeOf(op.getOut())[0]),
      channels(shapeOf(op.getX())[3]), outChannels(shapeOf(op.getOut())[3]),
      panel(shapeOf(op.getFilter())[3]),
      down(shapeOf(op.getOut())[1], window.y.results, op.getDilations()[0]),
      across(shapeOf(op.getOut())[2], window.x.results, op.getDilations()[1]),
      element(getElementTypeOrSelf(op.getFilter().getType())) {
  lanes = target.lanesWithin(element, panel);
  tilesOfImage = down.phases * across.phases * down.tiles * across.tiles;
  inputTiles = tilesOfImage * images;
}

// A cache line between rows keeps them off the same sets of L1.
int64_t WinogradShape::rowOf(const WinogradTransform::Group &group) const {
  return group.depth * channels + 16;
}

int64_t WinogradShape::bytesOfTile() const {
  int64_t bytes = 0;
  for (const auto &group : window.groups)
    bytes += 4 * group.sums * rowOf(group);
  return bytes;
}

MatmulShape WinogradShape::productOf(size_t index, int64_t block) const {
  const WinogradTransform::Group &group = window.groups[index];
  MatmulShape s;
  s.batches = group.sums;
  s.rows = block;
  s.columns = s.panel = s.panelOrWidth = panel;
  s.depth = group.depth * channels;
  s.isVnni = s.hasPartialGroup = s.transposesA = s.sharesB = false;
  s.lanes = lanes;
  s.sumElement = s.aElement = s.bElement = s.outElement = element;
  s.extras = 0;
  s.weights = s.batches * s.depth * panel * s.bBytes();
  s.rowStride = rowOf(group);
  return s;
}

} // namespace weir::kernel
