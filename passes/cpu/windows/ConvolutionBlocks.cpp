// How a convolution is cut for registers and caches.

#include "passes/cpu/windows/ConvolutionBlocks.h"

using namespace mlir;

namespace weir {
namespace {

// Of tiles of up to `most` of `results`, where x has `size` elements. A tap of
// a tile is left out only where all of its results have it on one side of x, so
// that those used are neighbours.
TileReach reachOf(int64_t results, int64_t most, int64_t size, int64_t window,
                  int64_t stride, int64_t dilation, int64_t padding,
                  bool maySkip) {
  TileReach reach;
  reach.steps = (results + EvenSplit(results, most).count) * window;
  int64_t least = std::min<int64_t>(0, -padding), skipped = 0;
  int64_t end = (results - 1) * stride + (window - 1) * dilation - padding + 1;
  EvenSplit tiles(results, most);
  // Of so many tiles few are at an edge.
  constexpr int64_t mostSteps = 1 << 20;
  maySkip &= tiles.count <= mostSteps / window;
  if (maySkip)
    least = end = 0;
  for (int64_t t = 0, start = 0; maySkip && t < tiles.count; ++t) {
    int64_t count = tiles.size + (t < tiles.larger);
    for (int64_t tap = 0; tap < window; ++tap) {
      int64_t first = start * stride + tap * dilation - padding;
      int64_t last = first + (count - 1) * stride;
      if (last < 0 || first >= size) {
        ++skipped;
        reach.steps -= count + 1;
        continue;
      }
      least = std::min(least, first);
      end = std::max(end, last + 1);
    }
    start += count;
  }
  // A loop whose bounds only the run knows costs a fiftieth of short sums.
  if (skipped && skipped * 32 < tiles.count * window)
    return reachOf(results, most, size, window, stride, dilation, padding,
                   /*maySkip=*/false);
  reach.skips = skipped > 0;
  reach.border = -least;
  reach.extent = std::max<int64_t>(1, end - least);
  return reach;
}

} // namespace

ConvolutionBlocks::ConvolutionBlocks(kernel::ConvolutionOp op,
                                     const kernel::Target &target)
    : SpatialWindows(op, Emitter::shape(op.getFilter())
                             .slice(1, Emitter::shape(op.getX()).size() - 2)),
      sumsFillRegisters(target.sumsFillRegisters()) {
  Value x = op.getX();
  ArrayRef<int64_t> xs = Emitter::shape(x), ws = Emitter::shape(op.getFilter()),
                    ys = Emitter::shape(op.getOut());
  images = xs[0];
  filled = xs.back();
  outChannels = ys.back();
  groups = op.getGroups();
  words = op.getLayout().isVnni();
  unit = words ? 4 : 1;
  channels = words ? llvm::alignTo(filled, 4) : filled;
  groupInputs = channels / groups;
  groupOutputs = outChannels / groups;
  panel = op.getLayout().getWidth();
  sumElement = op.getEpilogue().front().getArgument(0).getType();
  lanes = target.lanesWithin(sumElement, panel);
  int64_t filterBytes =
      ShapedType::getNumElements(ws) * Emitter::elementBytes(op.getFilter());
  fetchesAhead =
      filterBytes > target.l2 && filterBytes / ws[0] <= 2 * target.l2;
  // Where two multiply-adds begin in a cycle, tiles of four vectors need fewer
  // other instructions than high ones. Narrow images would be cut badly.
  bool ofTwoPanels = target.fmaRate > 1 && target.registers >= 32 && !words &&
                     panel == 2 * lanes && groupOutputs % (2 * panel) == 0 &&
                     outWidth >= 24 && filterBytes <= target.l2;
  tileColumns = ofTwoPanels           ? 2 * panel
                : panel == 3 * lanes  ? panel
                : panel % (2 * lanes) ? lanes
                                      : 2 * lanes;
  int64_t vectors = tileColumns / lanes;
  int64_t most =
      std::min<int64_t>(14, (target.registers - vectors - 1) / vectors);
  tileWidth = std::min(most, outWidth);
  tileHeight = outWidth > most / 2 ? 1 : std::min(outHeight, most / tileWidth);
  Type inCopy = words ? Emitter::element(x) : sumElement;
  bytes = std::max<int64_t>(1, inCopy.getIntOrFloatBitWidth() / 8);
  reachY = reachOf(outHeight, tileHeight, height, windowHeight, strideY,
                   dilationY, lowY, !hasShortRows());
  auto across = [&](int64_t most) {
    return reachOf(outWidth, most, width, windowWidth, strideX, dilationX, lowX,
                   !hasShortRows() && (groups > 1 || dilationX > 1));
  };
  reachX = across(tileWidth);
  // Narrower tiles leave out more taps of windows that are about as wide as x.
  for (int64_t some = tileWidth - 1; tileHeight == 1 && some > most / 3; --some)
    if (TileReach narrow = across(some); narrow.steps * 20 < reachX.steps * 19)
      tileWidth = some, reachX = narrow;
  copyChannels = channels;
  int64_t row = reachX.extent * channels * bytes * strideY * tileHeight;
  blockRows =
      std::max<int64_t>(1, std::min(EvenSplit(outHeight, tileHeight).count,
                                    target.l2 / 2 / std::max<int64_t>(1, row)));
  bool collides = pixelsCollide(target);
  if (reachY.border || reachX.border || reachY.extent > height ||
      reachX.extent > width || inCopy != Emitter::element(x) ||
      channels != filled || collides) {
    if (collides)
      copyChannels += std::max<int64_t>(1, 64 / bytes);
    copyType =
        MemRefType::get({reachY.extent, reachX.extent, copyChannels}, inCopy);
  }
}

// Whether the pixels of a tile fall on few sets of L1, or stand apart by a
// power of two: LLVM's scheduler then takes them for one cluster of loads,
// hoists them all, and spills the sums.
bool ConvolutionBlocks::pixelsCollide(const kernel::Target &target) const {
  if (tileWidth * tileHeight < 2)
    return false;
  if (!isRun(channels) && llvm::isPowerOf2_64(strideX * channels) &&
      groupInputs > 8 * unit)
    return true;
  return groupInputs * bytes > 64 &&
         target.linesCollide(strideX * channels * bytes, tileWidth);
}

} // namespace weir
