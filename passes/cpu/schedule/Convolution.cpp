// Chooses how vector code computes a convolution: the register tile, the taps
// that tiles leave out, copies of images, and the work items of threads.

#include "passes/cpu/schedule/Convolution.h"

#include "passes/cpu/schedule/Chooser.h"

using namespace mlir;

namespace weir::cpu {

using kernel::ConvolutionCopy;
using kernel::ConvolutionSchedule;
using kernel::ConvolutionShape;
using kernel::ConvolutionShare;
using kernel::Target;

namespace {

class ConvolutionChooser : Chooser<ConvolutionSchedule> {
public:
  ConvolutionChooser(const ConvolutionShape &shape,
                     const KernelContext &context, const Target &target,
                     const ConvolutionSchedule &given, DictionaryAttr fixed)
      : Chooser(given, fixed), shape(shape), context(context), target(target) {}

  ConvolutionSchedule run() {
    // Of few registers none is left for partial sums: chains of four rows of a
    // window of 7 x 7 x 3, not two, save a fourteenth of its time. The error
    // grows by a fifth, above ONNX Runtime's; errors of whole nets do not.
    set(&ConvolutionSchedule::chain,
        int64_t(target.sumsFillRegisters() ? 64 : 48));
    chooseChannels();
    chooseTile();
    chooseBlock();
    chooseCopy();
    // The filter is fetched if L2 does not hold it, but much of a panel.
    set(&ConvolutionSchedule::prefetch,
        shape.filterBytes > target.l2 && shape.panelBytes <= 2 * target.l2);
    chooseShare();
    return s;
  }

private:
  const ConvolutionShape &shape;
  const KernelContext &context;
  const Target &target;

  void chooseChannels();
  void chooseTile();
  void chooseBlock();
  void chooseCopy();
  bool pixelsCollide() const;
  void chooseShare();

  TileReach reachY() const {
    return TileReach::of(shape.axisY(), s.tileRows, s.skipRows);
  }
  TileReach reachX() const {
    return TileReach::of(shape.axisX(), s.tileColumns, s.skipColumns);
  }
};

// If two multiply-adds begin in a cycle, tiles of four vectors need fewer other
// instructions than high ones. Narrow images would be cut badly.
void ConvolutionChooser::chooseChannels() {
  int64_t panel = shape.panel, lanes = shape.lanes;
  bool twoPanels = target.fmaRate > 1 && target.registers >= 32 &&
                   !shape.isVnni && panel == 2 * lanes &&
                   shape.groupOutputs % (2 * panel) == 0 &&
                   shape.outWidth >= 24 && shape.filterBytes <= target.l2;
  set(&ConvolutionSchedule::tileChannels, twoPanels             ? 2 * panel
                                          : panel == 3 * lanes  ? panel
                                          : panel % (2 * lanes) ? lanes
                                                                : 2 * lanes);
}

// Whether tiles gain by leaving out taps. A loop whose bounds only the run
// knows costs a fiftieth of short sums. Of very many tiles few are at an edge.
bool skipsTaps(const WindowAxis &axis, int64_t most) {
  constexpr int64_t maxSteps = 1 << 20;
  int64_t tiles = EvenSplit(axis.results, most).count;
  if (tiles > maxSteps / axis.window)
    return false;
  TileReach reach = TileReach::of(axis, most, /*skip=*/true);
  return reach.skips && reach.skipped * 32 >= tiles * axis.window;
}

void ConvolutionChooser::chooseTile() {
  // Fixed channels may be less than a vector, or more than all registers; the
  // verifier refuses them later.
  int64_t vectors = std::max<int64_t>(1, s.tileChannels / shape.lanes);
  int64_t most =
      std::clamp<int64_t>((target.registers - vectors - 1) / vectors, 1, 14);
  int64_t wide = std::min(most, shape.outWidth);
  int64_t tall =
      shape.outWidth > most / 2 ? 1 : std::min(shape.outHeight, most / wide);
  set(&ConvolutionSchedule::tileRows, tall);
  bool maySkip = !shape.hasShortRows();
  set(&ConvolutionSchedule::skipRows,
      maySkip && skipsTaps(shape.axisY(), s.tileRows));
  // Narrower tiles leave out more taps of windows that are about as wide as x.
  bool mayNarrow = maySkip && (shape.groups > 1 || shape.dilationX > 1);
  auto across = [&](int64_t width) {
    bool skips = mayNarrow && skipsTaps(shape.axisX(), width);
    return TileReach::of(shape.axisX(), width, skips);
  };
  TileReach best = across(wide);
  for (int64_t some = wide - 1; s.tileRows == 1 && some > most / 3; --some)
    if (TileReach narrow = across(some); narrow.steps * 20 < best.steps * 19)
      wide = some, best = narrow;
  set(&ConvolutionSchedule::tileColumns, wide);
  set(&ConvolutionSchedule::skipColumns, across(s.tileColumns).skips);
}

// As many rows of tiles as keep their part of x in L2.
void ConvolutionChooser::chooseBlock() {
  int64_t row = reachX().extent * shape.channels * shape.copyBytes *
                shape.strideY * s.tileRows;
  int64_t rows = EvenSplit(shape.outHeight, s.tileRows).count;
  set(&ConvolutionSchedule::blockTiles,
      std::max<int64_t>(
          1, std::min(rows, target.l2 / 2 / std::max<int64_t>(1, row))));
}

// Whether the pixels of a tile fall on few sets of L1, or are apart by a power
// of two: LLVM's scheduler then takes them for one cluster of loads, hoists
// them all, and spills the sums.
bool ConvolutionChooser::pixelsCollide() const {
  int64_t channels = shape.channels;
  if (s.tileColumns * s.tileRows < 2)
    return false;
  if (!shape.isRun(channels) && llvm::isPowerOf2_64(shape.strideX * channels) &&
      shape.groupInputs > 8 * shape.unit)
    return true;
  return shape.groupInputs * shape.copyBytes > 64 &&
         target.linesCollide(shape.strideX * channels * shape.copyBytes,
                             s.tileColumns);
}

void ConvolutionChooser::chooseCopy() {
  set(&ConvolutionSchedule::copy, pixelsCollide() ? ConvolutionCopy::padded
                                  : shape.needsCopy(reachY(), reachX())
                                      ? ConvolutionCopy::image
                                      : ConvolutionCopy::none);
}

void ConvolutionChooser::chooseShare() {
  int64_t rows = EvenSplit(shape.outHeight, s.tileRows).count;
  int64_t panels = llvm::divideCeil(shape.groupOutputs, s.tileChannels);
  int64_t columns = EvenSplit(shape.outWidth, s.tileColumns).count;
  auto share = ConvolutionShare::rows;
  int64_t items = rows;
  if (rows < 16 && std::max(panels, shape.groups) > rows) {
    bool groups = shape.groups > 1;
    share = groups ? ConvolutionShare::groups : ConvolutionShare::panels;
    items = groups ? shape.groups : panels;
  }
  // Rows of one panel, as of a line of samples.
  if (items < 16 && columns > 4 * items)
    share = ConvolutionShare::columns;
  if (shape.images >= 4)
    share = ConvolutionShare::images;
  if (!context.isShared(cyclesOf(shape)))
    share = ConvolutionShare::none;
  set(&ConvolutionSchedule::share, share);
  // Each chunk would copy the images for itself. Threads copy a single image
  // together.
  set(&ConvolutionSchedule::coarse,
      s.copy != ConvolutionCopy::none &&
          (s.share == ConvolutionShare::images ||
           (s.share != ConvolutionShare::none && shape.images > 1)));
}

} // namespace

ConvolutionSchedule chooseConvolution(const ConvolutionShape &shape,
                                      const KernelContext &context,
                                      const Target &target,
                                      const ConvolutionSchedule &given,
                                      DictionaryAttr fixed) {
  return ConvolutionChooser(shape, context, target, given, fixed).run();
}

} // namespace weir::cpu
