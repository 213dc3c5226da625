// Rough times of convolutions, in cycles of a core that begins one vector of
// multiply-adds each. What they are for is the order of the alternatives.

#include "passes/lower/ConvolutionCost.h"

#include "dialects/isa/TileRegisters.h"
#include "dialects/kernel/WinogradTransform.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using mlir::RankedTensorType;

namespace weir::lower {
namespace {

// Bytes a cycle from the last level of cache, and from memory, where a filter
// larger than several times L2 is taken to be.
constexpr double cachedBytes = 24, memoryBytes = 8;
constexpr int64_t largeFilter = 4; // by L2
// Of processors with tiles the last level of cache is far away: what comes from
// it comes in addition, and stores to L2 take longer.
constexpr double farBytes = 4, waits = 1.3;

struct Sizes {
  double images, height, width; // of the result
  double inputs, outputs;       // channels
  double inputVectors, outputVectors;
  double taps;
  double inside; // taps of a result that are inside, of all taps
  bool known;    // the filter, when compiled
};

double directCycles(const Sizes &s) {
  return s.images * s.height * s.width * s.taps * s.inside * s.inputs *
         s.outputVectors;
}

double transformCycles(const Sizes &s,
                       const kernel::WinogradTransform &window) {
  return s.inputs * s.outputVectors * 4 * double(window.products());
}

double filteredCycles(const Sizes &s, const kernel::WinogradTransform &window,
                      const kernel::Target &target) {
  double products = window.products(), sums = window.sums();
  double results = window.y.results * window.x.results;
  double tiles = s.images * std::ceil(s.height / window.y.results) *
                 std::ceil(s.width / window.x.results);
  // A step for each product; partial sums are spilled now and then.
  double multiply =
      tiles * s.outputVectors * (products * s.inputs * 1.05 + 2 * sums);
  double filter = products * s.inputs * s.outputs * 4;
  bool isLarge = filter > double(largeFilter * target.l2);
  if (isLarge && products > 3 * s.taps)
    return HUGE_VAL; // memory is worth more than the time
  double tileBytes = 4 * (products * s.inputs + sums * 48);
  double blocks =
      std::ceil(tiles / std::max(14., double(target.l2) * 5 / 8 / tileBytes));
  double fetch = filter * blocks / (isLarge ? memoryBytes : cachedBytes);
  // Stores take two cycles, additions and loads one.
  double transforms = tiles * (s.inputVectors * 4 * products +
                               s.outputVectors * (2.5 * sums + 2 * results));
  double total = std::max(multiply, fetch) + transforms;
  // A filter that only the run knows is transformed by each.
  if (!s.known)
    total += transformCycles(s, window) + (isLarge ? memoryCycles(filter) : 0);
  return total;
}

} // namespace

double farCycles(double bytes) { return bytes / farBytes; }

double memoryCycles(double bytes) { return bytes / memoryBytes; }

double tapsInside(int64_t size, int64_t results, int64_t stride, int64_t taps,
                  int64_t dilation, int64_t padding) {
  int64_t inside = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    // Of the result 0 the tap is `first` elements after the first.
    int64_t first = tap * dilation - padding;
    int64_t before = divideCeilSigned(std::max<int64_t>(0, -first), stride);
    int64_t until = std::min(
        results, divideCeilSigned(std::max<int64_t>(0, size - first), stride));
    inside += std::max<int64_t>(0, until - before);
  }
  return double(inside) / double(results * taps);
}

// On a Sapphire Rapids a step of up to 32 x 32 results by a depth of 32 takes
// 575 cycles for the six bf16 products. Splitting 32 elements takes 12 cycles a
// part.
double tileCycles(const kernel::TileWindows &windows, int64_t images,
                  int64_t inputs, int64_t outputs, int64_t parts) {
  constexpr int64_t half = TileRegisters::rows, side = 2 * half;
  double cyclesAStep = parts == 3 ? 575 : parts == 2 ? 345 : 150;
  double channelSteps = divideCeil(inputs, side);
  double steps = channelSteps * double(windows.taps());
  double panels = double(divideCeil(outputs, half)) / 2;
  double blocks =
      double(images * windows.tiles * std::max<int64_t>(windows.height, 12)) /
      side;
  double filter = steps * panels * side * side * (parts > 1 ? 4 : 2);
  double positions = double(images * windows.phases() * windows.y.extent() *
                            windows.x.extent());
  return blocks * panels * steps * cyclesAStep + farCycles(filter) +
         positions * channelSteps * 12 * double(parts);
}

ConvolutionChoice chooseConvolution(ArrayRef<int64_t> filter,
                                    ArrayRef<int64_t> result,
                                    ArrayRef<int64_t> strides, double inside,
                                    int64_t lanes, bool isKnown,
                                    const kernel::Target &target) {
  // Where sums are short, or each tap is used a few times, other costs than
  // these count. Few channels are dot products.
  constexpr int64_t minDepth = 8, minTiles = 12;
  ConvolutionChoice best;
  if (target.gpu)
    return best;
  auto vectors = [&](int64_t channels) {
    return double(divideCeil(uint64_t(channels), uint64_t(lanes)));
  };
  Sizes sizes{double(result[0]),
              double(result[1]),
              double(result[2]),
              double(filter[2]),
              double(filter[3]),
              vectors(filter[2]),
              vectors(filter[3]),
              double(filter[0] * filter[1]),
              inside,
              isKnown};
  best.cycles = best.directCycles = directCycles(sizes);
  // The windows of a gradient by a filter are as large as images: the sums of
  // such a tile are written out in the code.
  constexpr int64_t maxTaps = 49;
  if ((!isKnown && filter[0] * filter[1] > maxTaps) || 2 * filter[3] <= lanes)
    return best;
  // Both the transforms of a tile inside an image and of one at its border are
  // written out: of more products they take seconds to compile.
  constexpr int64_t maxProducts = 256;
  double least = best.directCycles * 0.95;
  auto tilesOf = [](int64_t results) {
    return results == 1 ? SmallVector<int64_t>{1} : SmallVector<int64_t>{2, 4};
  };
  for (int64_t y : tilesOf(result[1]))
    for (int64_t x : tilesOf(result[2])) {
      double tiles = sizes.images * std::ceil(sizes.height / double(y)) *
                     std::ceil(sizes.width / double(x));
      auto window =
          kernel::WinogradTransform::of({y, x}, filter.take_front(2), strides);
      if (!window || tiles < minTiles || window->products() > maxProducts ||
          window->products() * filter[2] < minDepth * window->sums())
        continue;
      double cycles = filteredCycles(sizes, *window, target);
      if (cycles < least) {
        least = best.cycles = cycles;
        best.tiles = {y, x};
        best.filterElements = window->products() * filter[2] * filter[3];
        best.transformCycles = isKnown ? 0 : transformCycles(sizes, *window);
      }
    }
  // A direct sum by tiles may beat the best by vectors.
  if (target.tiles && isKnown && !best.tiles.empty()) {
    auto windows = kernel::TileWindows::of(result.slice(1, 2),
                                           filter.take_front(2), strides,
                                           /*dilations=*/{1, 1});
    double byTiles =
        tileCycles(windows, result[0], filter[2], filter[3], /*parts=*/3);
    double transformed = double(best.filterElements) * sizeof(float);
    if (byTiles <
        least / double(target.fmaRate) * waits + farCycles(transformed)) {
      best.tiles.clear();
      best.cycles = best.directCycles = byTiles * double(target.fmaRate);
      best.filterElements = 0;
    }
  }
  return best;
}

ConvolutionChoice chooseConvolution(graph::ConvolutionOp op, bool isKnown) {
  RankedTensorType type = op.getType();
  RankedTensorType filter = op.getFilter().getType();
  if (!type.getElementType().isF32() || type.getRank() != 4 ||
      op.getGroups() != 1)
    return {};
  // Where elements of the filter stand apart, results that do are as those of
  // an image of their own, where few tiles of a direct sum take taps outside.
  SmallVector<int64_t> result(type.getShape());
  double inside = 1;
  for (auto [i, dilation] : enumerate(op.getDilations())) {
    if (dilation > 1 && op.getStrides()[i] > 1)
      return {};
    if (dilation > 1)
      inside *= tapsInside(op.getX().getType().getDimSize(i + 1), result[i + 1],
                           /*stride=*/1, filter.getDimSize(i), dilation,
                           op.getPaddingLow()[i]);
    int64_t apart = std::min(dilation, result[i + 1]);
    result[0] *= apart;
    result[i + 1] = divideCeil(result[i + 1], apart);
  }
  auto target = kernel::Target::of(op);
  return chooseConvolution(filter.getShape(), result, op.getStrides(), inside,
                           target.lanes(type.getElementType()), isKnown,
                           target);
}

} // namespace weir::lower
