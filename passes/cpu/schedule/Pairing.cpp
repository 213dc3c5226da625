// Chooses how a kernel by inner-product pairing is computed: tiles of rows,
// slabs of tiles, parts of the depth, and the work items of threads.

#include "passes/cpu/schedule/Pairing.h"

#include "dialects/kernel/PairingScheme.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/schedule/Chooser.h"

using namespace mlir;

namespace weir::cpu {

using kernel::PairingPrefetch;
using kernel::PairingSchedule;
using kernel::PairingScheme;
using kernel::PairingShape;
using kernel::PairingShare;
using kernel::PairingSplits;
using kernel::Target;

namespace {

class PairingChooser : Chooser<PairingSchedule> {
public:
  PairingChooser(const PairingShape &shape, const PairingContext &context,
                 const Target &target, const PairingSchedule &given,
                 DictionaryAttr fixed)
      : Chooser(given, fixed), shape(shape), context(context), target(target),
        isShared(context.isShared(context.cycles(shape))) {}

  PairingSchedule run() {
    chooseTile();
    chooseChains();
    chooseSlabs();
    set(&PairingSchedule::packInside,
        context.pack && packsInside() && mayPackInside());
    if (s.packInside)
      choosePanels();
    else
      chooseShare();
    choosePrefetch();
    return s;
  }

private:
  // In bytes, for all threads: spilled partial sums, or all rows if they are
  // prepared first; and both for slabs. The limit leaves scratch memory in
  // PlanScratch for all threads.
  static constexpr int64_t maxScratch = 16 << 20, maxOfSlabs = 48 << 20;

  const PairingShape &shape;
  const PairingContext &context;
  const Target &target;
  const bool isShared;
  bool fetches = false; // panels before their use

  void chooseTile();
  void chooseChains();
  void chooseSlabs();
  bool packsInside() const;
  bool mayPackInside();
  void choosePanels();
  void chooseShare();
  bool splitSlabs();
  bool holdsAllRows() const;
  bool mayHaveOneSlab();
  bool fetchesWeights() const;
  void choosePrefetch();

  int64_t tiles() const { return EvenSplit(shape.rows, s.tileRows).count; }
  // A fixed value may be more than all registers; the verifier refuses it
  // later.
  int64_t tileRows() const { return std::min(s.tileRows, target.registers); }
  int64_t tilesOf(int64_t elements) const;
};

// The other registers hold two vectors of three rows of weights each, and
// intermediate sums. If elements of the left side are in registers, too, only
// two rows of weights are. They are if two multiply-adds begin in a cycle: then
// loads are the limit. With few registers the sums of fewer rows fit beside one
// operand.
void PairingChooser::chooseTile() {
  int64_t vectors = llvm::divideCeil(PairingScheme::panelWidth, shape.lanes);
  int64_t most = std::min((target.registers - 1) / vectors, shape.lanes);
  set(&PairingSchedule::reuseLoads, target.fmaRate > 1);
  int64_t rows = s.reuseLoads ? 8 : 7;
  set(&PairingSchedule::tileRows, std::max<int64_t>(1, std::min(rows, most)));
}

// Short chains compensate for the rounding errors of pairing. They are also
// used for many terms, and for few, which take little time.
void PairingChooser::chooseChains() {
  constexpr int64_t chain = 84, chainOfMany = 60, chainOfFew = 32;
  constexpr int64_t manyTerms = 2048, fewTerms = 128;
  set(&PairingSchedule::chain, shape.depth < fewTerms    ? chainOfFew
                               : shape.depth > manyTerms ? chainOfMany
                                                         : chain);
  set(&PairingSchedule::plainChain, chain);
  set(&PairingSchedule::roundChains, int64_t(6));
}

// Of which half of L2 holds so many elements a row.
int64_t PairingChooser::tilesOf(int64_t elements) const {
  return std::max<int64_t>(1, target.l2 / 2 / (4 * tileRows() * elements));
}

// Slabs of rows stay in L2. Several slabs read all weights each. If the depth
// is divided, slabs have more rows, and partial sums are spilled.
void PairingChooser::chooseSlabs() {
  constexpr int64_t terms = 1024;
  EvenSplit slabs(tiles(), tilesOf(shape.depth));
  int64_t parts = 1;
  if (slabs.count > 1 && shape.depth > terms) {
    // Of a tile, which has all of its depth.
    int64_t sums = tileRows() * 4 * shape.panels * PairingScheme::panelWidth;
    int64_t all = sums + tileRows() * 4 * shape.depth;
    int64_t most =
        std::min({tilesOf(terms), maxScratch / context.threads / sums - 1,
                  maxOfSlabs / context.threads / all - 1});
    EvenSplit larger(tiles(), std::max<int64_t>(1, most));
    if (larger.count < slabs.count) {
      auto chains = kernel::PairingChains::of(shape, s);
      int64_t perRound = llvm::divideCeil(shape.depth, chains.rounds.count);
      parts =
          EvenSplit(chains.rounds.count, std::max<int64_t>(1, terms / perRound))
              .count;
      slabs = larger;
    }
  }
  set(&PairingSchedule::depthParts, parts);
  set(&PairingSchedule::rowSlabs, slabs.count);
}

// Panels are packed one at a time if half of L2 holds all rows, and each thread
// gets about equally many panels.
bool PairingChooser::packsInside() const {
  int64_t threads = isShared ? context.threads : 1;
  return s.rowSlabs == 1 && s.depthParts == 1 &&
         double(llvm::alignTo(shape.panels, threads)) <=
             1.1 * double(shape.panels);
}

// Whether nothing is fixed that excludes it.
bool PairingChooser::mayPackInside() {
  set(&PairingSchedule::share, PairingShare::none);
  set(&PairingSchedule::prefetch, PairingPrefetch::none);
  return s.prefetch == PairingPrefetch::none &&
         (s.share == PairingShare::none || s.share == PairingShare::panels);
}

void PairingChooser::choosePanels() {
  set(&PairingSchedule::rowSlabs, int64_t(1));
  set(&PairingSchedule::depthParts, int64_t(1));
  set(&PairingSchedule::share,
      isShared ? PairingShare::panels : PairingShare::none);
}

// Slabs for each thread, or all tiles of all panels if rows are few.
void PairingChooser::chooseShare() {
  bool several = isShared && context.threads > 1;
  bool byTiles = several && !splitSlabs() && holdsAllRows() && mayHaveOneSlab();
  fetches = fetchesWeights();
  set(&PairingSchedule::share, !isShared ? PairingShare::none
                               : byTiles ? PairingShare::tiles
                                         : PairingShare::slabs);
  if (s.share == PairingShare::tiles)
    set(&PairingSchedule::rowSlabs, int64_t(1));
}

// Whether each thread gets about equally many tiles, in slabs of its own; sets
// the slabs so. A thread then reads and writes the rows that it has in the
// kernels before and after this one. All threads read all weights anyway.
bool PairingChooser::splitSlabs() {
  constexpr int64_t minTiles = 2; // that a panel has to come for
  int64_t threads = context.threads, all = tiles();
  int64_t even = llvm::alignTo(s.rowSlabs, threads);
  if (even * minTiles > all)
    return false;
  double most = double(even / threads) * llvm::divideCeil(all, even);
  if (most * threads > 1.1 * all)
    return false;
  set(&PairingSchedule::rowSlabs, even);
  return true;
}

// Whether all rows, and their spilled partial sums, may be in memory at once.
bool PairingChooser::holdsAllRows() const {
  int64_t sums = s.depthParts > 1 ? shape.columns : 0;
  return s.rowSlabs < context.threads ||
         4 * shape.rows * (shape.depth + sums) <= maxScratch;
}

// Whether the number of slabs is not fixed to another one.
bool PairingChooser::mayHaveOneSlab() {
  int64_t slabs = s.rowSlabs;
  set(&PairingSchedule::rowSlabs, int64_t(1));
  bool may = s.rowSlabs == 1;
  s.rowSlabs = slabs;
  return may;
}

// Weights that L2 does not hold until the next run, beside those of the rest of
// the model; measured on a Zen 5, where of few tiles each would have too much
// to fetch.
bool PairingChooser::fetchesWeights() const {
  bool toL1 = target.fetchesPanelsToL1();
  return shape.weights > target.l2 / 2 ||
         (toL1 && shape.weights > target.l2 / 20 &&
          PairingSplits(shape, s).slabs.size >= 4);
}

// Few lines are fetched at once.
void PairingChooser::choosePrefetch() {
  constexpr int64_t fewLines = 16;
  bool few = PairingSplits(shape, s).linesOfTile() <= fewLines;
  set(&PairingSchedule::prefetch, !fetches ? PairingPrefetch::none
                                  : few    ? PairingPrefetch::tile
                                           : PairingPrefetch::group);
  set(&PairingSchedule::prefetchLevel,
      int64_t(target.fetchesPanelsToL1() ? 1 : 2));
  // The results and the operands of the epilogue exceed L2.
  set(&PairingSchedule::prefetchResult,
      4 * (1 + shape.extras) * shape.rows * shape.columns > target.l2 / 2);
}

} // namespace

PairingContext PairingContext::of(Operation *op) {
  auto matmul = dyn_cast<kernel::MatmulOp>(op);
  return {KernelContext::of(op), matmul ? packBefore(matmul) : nullptr};
}

double PairingContext::cycles(const PairingShape &shape) const {
  double cycles = cyclesOf(shape);
  if (kernel::PackOp packs = pack)
    cycles += kernel::pairingPackCycles(
        cast<ShapedType>(packs.getB().getType()).getNumElements());
  return cycles;
}

PairingSchedule choosePairing(const PairingShape &shape,
                              const PairingContext &context,
                              const Target &target,
                              const PairingSchedule &given,
                              DictionaryAttr fixed) {
  return PairingChooser(shape, context, target, given, fixed).run();
}

} // namespace weir::cpu
