// Chooses how windows are computed whose tiles are results of a line.

#include "passes/cpu/schedule/Line.h"

#include "passes/cpu/kernels/LaneSums.h"
#include "passes/cpu/schedule/Chooser.h"

using namespace mlir;

namespace weir::cpu {

using kernel::LineKind;
using kernel::LineSchedule;
using kernel::LineShape;
using kernel::LineShare;
using kernel::Target;

namespace {

class LineChooser : Chooser<LineSchedule> {
public:
  LineChooser(const LineShape &shape, const KernelContext &context,
              const Target &target, const LineSchedule &given,
              DictionaryAttr fixed)
      : Chooser(given, fixed), shape(shape), context(context), target(target) {}

  LineSchedule run() {
    switch (shape.kind) {
    case LineKind::channels:
      chooseTile();
      break;
    case LineKind::dots:
      chooseTileOfDots();
      break;
    case LineKind::interleaved:
      // 16 vectors of sums.
      set(&LineSchedule::tileChannels, int64_t(64));
      set(&LineSchedule::tileColumns, int64_t(4));
      break;
    }
    chooseShare();
    return s;
  }

private:
  const LineShape &shape;
  const KernelContext &context;
  const Target &target;

  void chooseTile();
  void chooseTileOfDots();
  void chooseShare();
};

// A tile has one vector of channels. It has two if these are a line of the
// cache and neighbours share few pixels: lines are then fetched, and those of
// results written, as a whole.
void LineChooser::chooseTile() {
  constexpr int64_t lineBytes = 64, wide = 7, narrow = 4;
  int64_t bytes = shape.lanes * shape.xElement.getIntOrFloatBitWidth() / 8;
  bool two =
      shape.strideX > 1 && shape.outWidth > wide && 2 * bytes <= lineBytes;
  set(&LineSchedule::tileChannels, two ? 2 * shape.lanes : shape.lanes);
  set(&LineSchedule::tileColumns, two ? narrow : wide);
}

void LineChooser::chooseTileOfDots() {
  set(&LineSchedule::tileChannels,
      std::clamp<int64_t>(shape.lanes / 2, 1, shape.channels));
  set(&LineSchedule::tileColumns,
      std::max<int64_t>(1, maxDotSums(target) / s.tileChannels));
}

// Of few rows, as in flat images, threads share the tiles of all rows.
void LineChooser::chooseShare() {
  constexpr int64_t fewRows = 8;
  int64_t rows = shape.images * shape.outHeight;
  int64_t tiles = EvenSplit(shape.outWidth, s.tileColumns).count;
  bool columns =
      shape.kind != LineKind::interleaved && rows < fewRows && tiles > rows;
  set(&LineSchedule::share, !context.isShared(cyclesOf(shape)) ? LineShare::none
                            : columns ? LineShare::columns
                                      : LineShare::rows);
}

} // namespace

LineSchedule chooseLine(const LineShape &shape, const KernelContext &context,
                        const Target &target, const LineSchedule &given,
                        DictionaryAttr fixed) {
  return LineChooser(shape, context, target, given, fixed).run();
}

} // namespace weir::cpu
