// Chooses how a product in the K-major layout is computed.

#include "passes/cpu/schedule/Dot.h"

#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/kernels/LaneSums.h"
#include "passes/cpu/schedule/Chooser.h"

using namespace mlir;

namespace weir::cpu {

using kernel::DotSchedule;
using kernel::DotShape;
using kernel::DotShare;
using kernel::Target;

namespace {

class DotChooser : Chooser<DotSchedule> {
public:
  DotChooser(const DotShape &shape, const KernelContext &context,
             const Target &target, const DotSchedule &given,
             DictionaryAttr fixed)
      : Chooser(given, fixed), shape(shape), context(context), target(target) {}

  DotSchedule run() {
    chooseTile();
    set(&DotSchedule::accumulatorSets, accumulatorSets());
    set(&DotSchedule::chain, longestChain(target));
    set(&DotSchedule::share,
        context.isShared(cyclesOf(shape)) ? DotShare::tiles : DotShare::none);
    return s;
  }

private:
  const DotShape &shape;
  const KernelContext &context;
  const Target &target;

  void chooseTile();
  int64_t maxColumns() const;
  int64_t fixedSets() const;
  int64_t accumulatorSets() const;
};

// The sets of sums that the user has fixed, or else one: they are chosen last.
int64_t DotChooser::fixedSets() const {
  return isFixed(&DotSchedule::accumulatorSets) ? s.accumulatorSets : 1;
}

// A row alone has as many columns as a vector has lanes, so that one vector
// holds its results. Several rows need the registers for more rows. Rows and
// sets of sums that the user has fixed leave registers for fewer columns.
int64_t DotChooser::maxColumns() const {
  int64_t columns =
      shape.rows == 1 ? shape.lanes : std::min(shape.columns, shape.lanes / 2);
  bool isFixedRows = isFixed(&DotSchedule::tileRows);
  if (isFixedRows || isFixed(&DotSchedule::accumulatorSets)) {
    int64_t rows = isFixedRows ? EvenSplit(shape.rows, s.tileRows).most() : 1;
    columns = std::min(columns, maxDotSums(target) / (rows * fixedSets()));
  }
  return std::max<int64_t>(1, columns);
}

void DotChooser::chooseTile() {
  set(&DotSchedule::tileColumns, maxColumns());
  set(&DotSchedule::tileRows,
      std::max<int64_t>(1, maxDotSums(target) / (s.tileColumns * fixedSets())));
}

// Few sums make short chains of dependent additions: several sets of them take
// turns over the depth, also in the last columns, which may be fewer, so that
// equal columns have equal sums. Several rows have enough sums.
int64_t DotChooser::accumulatorSets() const {
  int64_t vectors = shape.depth / shape.lanes;
  int64_t columns = std::min(shape.columns, s.tileColumns), sets = 1;
  while (shape.rows == 1 && sets * columns < 8 && sets * 2 <= vectors)
    sets *= 2;
  return sets;
}

} // namespace

DotSchedule chooseDot(const DotShape &shape, const KernelContext &context,
                      const Target &target, const DotSchedule &given,
                      DictionaryAttr fixed) {
  return DotChooser(shape, context, target, given, fixed).run();
}

} // namespace weir::cpu
