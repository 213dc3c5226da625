// Chooses how weights in a layout for tile registers are multiplied: tiles,
// blocks for the caches, and the work items of threads.

#include "passes/cpu/schedule/Tiles.h"

#include "dialects/kernel/cost/Cost.h"
#include "passes/cpu/schedule/Chooser.h"

using namespace mlir;

namespace weir::cpu {

using kernel::Target;
using kernel::TilesInstructions;
using kernel::TilesSchedule;
using kernel::TilesShape;
using kernel::TilesShare;
using kernel::TileWindows;

namespace {

class TilesChooser : Chooser<TilesSchedule> {
public:
  TilesChooser(const TilesShape &shape, const KernelContext &context,
               const Target &target, const TilesSchedule &given,
               DictionaryAttr fixed)
      : Chooser(given, fixed), shape(shape), context(context), target(target) {}

  TilesSchedule run() {
    if (shape.steps == 0) // the verifier refuses sums without terms
      return s;
    set(&TilesSchedule::instructions, shape.hasDots && !shape.hasTiles
                                          ? TilesInstructions::dots
                                          : TilesInstructions::tiles);
    if (isDots())
      chooseTilesOfDots();
    else if (shape.isConvolution)
      chooseTilesOfWindows();
    else
      chooseTilesOfRows();
    set(&TilesSchedule::depthBlock,
        EvenSplit(shape.steps,
                  shape.isConvolution ? longestChain() : maxSteps())
            .most());
    if (shape.isConvolution)
      chooseStrips();
    else
      chooseSlabs();
    set(&TilesSchedule::coarse, s.share != TilesShare::none);
    choosePrefetch();
    return s;
  }

private:
  const TilesShape &shape;
  const KernelContext &context;
  const Target &target;

  void chooseTilesOfRows();
  void chooseTilesOfWindows();
  void chooseTilesOfDots();
  void setTileRows(int64_t rows);
  int64_t maxSteps() const;
  int64_t maxBlocks() const;
  int64_t maxBlocksOfStrip() const;
  void chooseSlabs();
  void chooseStrips();
  void chooseShare(bool sharesPanels);
  void choosePrefetch();

  bool isDots() const { return s.instructions == TilesInstructions::dots; }
  int64_t blocks() const { return shape.blocks(s); }
  // Fixed values may be too large to multiply; the verifier refuses such rows
  // later, and a block of the depth has no more steps than there are.
  int64_t blockRows() const { return std::min(s.blockRows, shape.side); }
  int64_t depthBlock() const { return std::min(s.depthBlock, shape.steps); }
  // Steps of the longest chain of additions.
  int64_t longestChain() const { return 1024 / shape.stepDepth; }
  // Bytes of the sums of a block.
  static constexpr int64_t sumBytes = TilesShape::side * TilesShape::side * 4;

  /// Whether all panels stay in L2, beside the rows.
  bool panelsStay() const { return shape.weights <= target.l2 / 2; }
  /// The number of blocks whose products take as long as loading a panel.
  int64_t minBlocks() const {
    return isDots() ? 4 : panelsStay() || shape.splitsWeights ? 1 : 2;
  }
};

// A block that the user has fixed is one tile if a tile register has all of its
// rows, or else two.
void TilesChooser::setTileRows(int64_t rows) {
  if (isFixed(&TilesSchedule::blockRows))
    rows = s.blockRows <= shape.half ? s.blockRows
                                     : std::min(shape.half, s.blockRows / 2);
  set(&TilesSchedule::tileRows, rows);
}

// Blocks are as even as possible, so that the last one is not mostly empty. If
// they are few, each thread has equally many.
void TilesChooser::chooseTilesOfRows() {
  constexpr int64_t few = 8; // a thread
  int64_t blocks = llvm::divideCeil(shape.rows, shape.side);
  if (blocks >= context.threads && blocks < few * context.threads)
    blocks = llvm::alignTo(blocks, context.threads);
  int64_t tall = shape.rows > shape.half ? 2 : 1;
  setTileRows(llvm::divideCeil(shape.rows, blocks * tall));
  set(&TilesSchedule::blockRows, tall * s.tileRows);
}

void TilesChooser::chooseTilesOfWindows() {
  TileWindows even(shape.y, shape.x);
  set(&TilesSchedule::byLine, even.byLine);
  int64_t results = s.byLine ? shape.x.results : even.positions();
  setTileRows(EvenSplit(results, shape.half).most());
  int64_t tall = shape.windows(s).tiles > 1 ? 2 : 1;
  set(&TilesSchedule::blockRows, tall * s.tileRows);
}

// The sums of few rows are in several sets, because each product waits for the
// one before it. An element of the left side and the weights of a line are in
// registers beside the sums, of which the user may have fixed several sets.
void TilesChooser::chooseTilesOfDots() {
  constexpr int64_t maxRows = 12, waiting = 8;
  int64_t vectors = shape.columnTiles();
  bool isFixedSets = isFixed(&TilesSchedule::accumulatorSets);
  int64_t ofRow = vectors * (isFixedSets ? s.accumulatorSets : 1);
  set(&TilesSchedule::tileRows,
      std::clamp<int64_t>((target.registers - vectors - 1) / ofRow, 1,
                          maxRows));
  set(&TilesSchedule::blockRows, int64_t(shape.side));
  int64_t sums = shape.dotTiles(s).most() * vectors;
  set(&TilesSchedule::accumulatorSets, int64_t(sums <= waiting / 4   ? 4
                                               : sums <= waiting / 2 ? 2
                                                                     : 1));
  set(&TilesSchedule::unroll, int64_t(4));
}

int64_t TilesChooser::maxSteps() const {
  // A panel and the bf16 terms of the first blocks that it multiplies take half
  // of L2.
  constexpr int64_t few = 4;
  int64_t together = (std::min(blocks(), few) + 1) * shape.split * 2048;
  int64_t most = longestChain();
  if (!isDots())
    most = std::clamp<int64_t>(target.l2 / 2 / together, 8,
                               shape.areBytes ? 256 : most);
  // Weights are loaded once if all split rows and the spilled partial sums stay
  // in L2, which needs smaller blocks of the depth.
  int64_t whole =
      target.l2 / 2 / ((blocks() + 1) * shape.split * blockRows() * 64);
  bool sumsStay = blocks() * shape.panels * sumBytes <= target.l2 / 4;
  constexpr int64_t minSteps = 8;
  if (!isDots() && sumsStay && whole >= minSteps)
    most = std::min(most, whole);
  // A single block for dot products leaves L2 to longer panels.
  constexpr int64_t fewDepths = 3;
  if (isDots() && blocks() == 1)
    most = std::max<int64_t>(most, llvm::divideCeil(shape.steps, fewDepths));
  return most;
}

// The bf16 terms of a slab and the panel that multiplies them take half of L2.
int64_t TilesChooser::maxBlocks() const {
  int64_t blockBytes = depthBlock() * shape.split * blockRows() *
                       shape.stepDepth * (shape.areBytes ? 1 : 2);
  return std::max<int64_t>(1, target.l2 / 2 / blockBytes - 1);
}

// Threads have equally many slabs, unless a thread would finish a panel before
// the next one arrives. If one slab has all rows, only one thread loads each
// panel from beyond L2. No thread is idle.
void TilesChooser::chooseSlabs() {
  int64_t threads = context.threads;
  int64_t slabs = EvenSplit(blocks(), maxBlocks()).count, even = slabs;
  bool sharesPanels = false;
  if (threads > 1) {
    even = llvm::alignTo(slabs, threads);
    bool isWorth = even * minBlocks() <= blocks();
    sharesPanels = slabs == 1 && shape.panels >= 2 * threads &&
                   (!panelsStay() || !isWorth);
    if (!sharesPanels && !isWorth) {
      even = std::max(slabs, std::min(blocks(), threads));
      sharesPanels = slabs < threads && shape.panels > even;
    }
  }
  chooseShare(sharesPanels);
  bool areFew = sharesPanels || s.share == TilesShare::panels;
  set(&TilesSchedule::slabs, areFew ? slabs : even);
}

// A slab of a convolution is a strip of an image. The bf16 terms of its
// positions take half of L2, and spilled partial sums a quarter.
int64_t TilesChooser::maxBlocksOfStrip() const {
  TileWindows windows = shape.windows(s);
  int64_t lineBytes = windows.pitch() * windows.phases() * shape.channelSteps *
                      shape.split * shape.stepDepth * 2;
  int64_t lines =
      std::max<int64_t>(1, target.l2 / 2 / lineBytes - shape.y.reach() - 1);
  int64_t most = lines * windows.pitch() / blockRows();
  if (depthBlock() < shape.steps)
    most = std::min(most, target.l2 / 4 / (shape.panels * sumBytes));
  return std::max<int64_t>(1, most);
}

// The strips of a single image are equally many for each thread. Threads share
// panels if strips are few.
void TilesChooser::chooseStrips() {
  int64_t threads = context.threads;
  int64_t strips = EvenSplit(blocks(), maxBlocksOfStrip()).count;
  int64_t even = llvm::alignTo(strips, threads);
  if (shape.images == 1 && even * minBlocks() <= blocks())
    strips = even;
  set(&TilesSchedule::slabs, strips);
  int64_t all = shape.images * s.slabs;
  bool areFew = all % threads != 0 && all < minBlocks() * threads;
  chooseShare(areFew && shape.panels >= threads);
}

void TilesChooser::chooseShare(bool sharesPanels) {
  set(&TilesSchedule::share, !context.isShared(cyclesOf(shape))
                                 ? TilesShare::none
                             : sharesPanels ? TilesShare::panels
                                            : TilesShare::slabs);
}

// Weights that are split in use are fetched unless L2 holds all of them. Of
// other weights, kernels for tile registers fetch the next panel. Kernels for
// dot products fetch later lines, because the halves of the columns are not
// adjacent in memory. Several sets of sums read each half in the order of
// memory.
void TilesChooser::choosePrefetch() {
  set(&TilesSchedule::prefetch, isDots()              ? s.accumulatorSets == 1
                                : shape.splitsWeights ? !panelsStay()
                                                      : shape.panels > 1);
  set(&TilesSchedule::prefetchResult, !isDots());
}

} // namespace

TilesSchedule chooseTiles(const TilesShape &shape, const KernelContext &context,
                          const Target &target, const TilesSchedule &given,
                          DictionaryAttr fixed) {
  return TilesChooser(shape, context, target, given, fixed).run();
}

} // namespace weir::cpu
