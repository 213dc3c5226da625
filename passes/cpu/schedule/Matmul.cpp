// Chooses how vector code computes a product: the register tile, blocks for the
// caches, copies, the work items of threads, and prefetches.

#include "passes/cpu/schedule/Matmul.h"

#include "dialects/kernel/schedule/EvenSplit.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/schedule/Chooser.h"

#include <numeric>

using namespace mlir;

namespace weir::cpu {

using kernel::MatmulCopy;
using kernel::MatmulPrefetch;
using kernel::MatmulSchedule;
using kernel::MatmulShape;
using kernel::MatmulShare;
using kernel::Target;

namespace {

class MatmulChooser : Chooser<MatmulSchedule> {
public:
  MatmulChooser(const MatmulShape &shape, const MatmulContext &context,
                const Target &target, const MatmulSchedule &given,
                DictionaryAttr fixed)
      : Chooser(given, fixed), shape(shape), context(context), target(target),
        many(!target.sumsFillRegisters()), alike(shape.alikeRows()) {}

  MatmulSchedule run() {
    set(&MatmulSchedule::chain, context.chain);
    set(&MatmulSchedule::packInside, context.mayPack && packsInside());
    chooseColumns();
    chooseRows();
    chooseAccumulators();
    chooseShare();
    chooseDepth();
    chooseBlockOfRows();
    chooseCopy();
    choosePrefetch();
    return s;
  }

private:
  const MatmulShape &shape;
  const MatmulContext &context;
  const Target &target;
  const bool many;     // registers
  const int64_t alike; // rows, as the order of sums depends on

  bool packsInside() const;
  void chooseColumns();
  int64_t widthOfPanel() const;
  bool readsRowOfPlain() const { return !shape.panel && alike == 1 && many; }
  void chooseRows();
  bool hasHighTiles() const;
  void chooseAccumulators();
  void chooseShare();
  bool sharesBatches() const {
    return shape.batches >= 8 ||
           shape.batches >= std::max(rowTiles(), columnTiles());
  }
  bool sharesRows() const;
  void chooseDepth();
  int64_t largestBlock() const;
  int64_t chooseSlab() const;
  void chooseBlockOfRows();
  void chooseCopy();
  bool rowsCollide() const;
  bool blocksCollide() const;
  void choosePrefetch();

  // A fixed value may be less than a vector; the verifier refuses it later.
  int64_t vectors() const {
    return std::max<int64_t>(1, s.tileColumns / shape.lanes);
  }
  bool hasSeveralPanels() const {
    return shape.panel && s.tileColumns > shape.panel;
  }
  bool isByRowBlocks() const { return cpu::isByRowBlocks(shape, context, s); }
  int64_t rowTiles() const {
    return EvenSplit(isByRowBlocks() ? context.rowBlocks->size : shape.rows,
                     s.tileRows)
        .count;
  }
  int64_t columnTiles() const {
    return llvm::divideCeil(shape.columns, s.tileColumns);
  }
  EvenSplit alikeTiles() const { return EvenSplit(alike, s.tileRows); }

  /// Whether L2 has blocks of the right side while rows pass by, and L1 what
  /// tiles read of the left side.
  bool blocksForL2() const { return high && !s.packInside; }
  /// Whether blocks are as deep as L1 allows for a target with few registers.
  bool blocksForFew() const { return !many && !s.packInside; }
  /// Bytes of L2 for rows of the left side. The others are for panels, the one
  /// at hand and the next, and for results.
  int64_t bytesOfRows() const {
    return blocksForL2() ? target.l2 / 4 : target.l2 / 2;
  }
  /// Bytes of a row that the epilogue reads and writes.
  int64_t touchedBytes() const {
    return (1 + shape.extras) * shape.columns * shape.sumBytes();
  }
  bool touchesMuch() const { return alike * touchedBytes() > target.l2 / 2; }
  /// Whether all of the right side stays in L2 while more results than L2 holds
  /// pass by.
  bool keepsRight() const {
    return touchesMuch() &&
           shape.columns * shape.depth * shape.sumBytes() <= target.l2 / 2;
  }

  bool high = false; // tiles have as many rows as registers allow
};

// The product packs parts of a panel just before their use if its rows then
// stay in L2, because it reads them again for each panel. Between parts the
// partial sums are spilled to the result, whose type must represent them
// exactly.
bool MatmulChooser::packsInside() const {
  int64_t part = target.l1 / 2;
  bool whole = shape.depth * shape.panel * shape.bBytes() <= part;
  bool readsAgain = alike * shape.depth * shape.aBytes() <= target.l2 / 2;
  return (whole || shape.sumElement == shape.outElement) && readsAgain;
}

// Panels of three vectors are read as such only, wider ones in parts. With few
// registers one row needs them for several sets of sums.
int64_t MatmulChooser::widthOfPanel() const {
  int64_t lanes = shape.lanes, whole = shape.panelOrWidth;
  int64_t widest =
      many || alike == 1 ? 3 : target.widestLowTile(shape.bElement);
  int64_t width = lanes;
  for (int64_t some = 2; some <= widest; ++some)
    if (whole == some * lanes || (some != 3 && whole % (some * lanes) == 0))
      width = some * lanes;
  return width;
}

// The order of a sum's terms follows from the columns, so they depend on the
// operands alone.
void MatmulChooser::chooseColumns() {
  int64_t width = widthOfPanel(), lanes = shape.lanes, panel = shape.panel;
  int64_t several =
      target.widthOfSeveralPanels(shape.bElement, shape.rows, shape.columns,
                                  shape.depth * shape.columns * shape.bBytes());
  if (panel && several > panel && several % panel == 0 && shape.batches == 1 &&
      !shape.isVnni && !s.packInside)
    width = several;
  // A single row reads runs of a plain matrix that are as long as registers
  // allow.
  if (readsRowOfPlain())
    width = lanes * std::clamp<int64_t>(llvm::divideCeil(shape.columns, lanes),
                                        width / lanes, 16);
  set(&MatmulSchedule::tileColumns, width);
}

// One multiply-add a cycle leaves time for loads: tiles are low and have two
// sets of sums. Chains of additions are then half as long, and what goes on
// between them overlaps better with that of the next tile. Two a cycle need
// tiles as high as registers allow, unless rows are few or sums short: sums of
// short chains wait in memory and need more terms to be worth it.
bool MatmulChooser::hasHighTiles() const {
  return many && target.fmaRate > 1 &&
         shape.depth >= (s.chain < 64 ? 256 : 64) && alike > 16;
}

void MatmulChooser::chooseRows() {
  high = hasHighTiles();
  // Integer sums are equal in any order.
  bool highest = high || (shape.isVnni && many);
  int64_t most = highest ? 28 : vectors() == 3 ? 12 : 10;
  int64_t height = many ? most / vectors() : target.lowTileHeight(vectors());
  set(&MatmulSchedule::tileRows, std::max<int64_t>(1, height));
}

// Few sums make short chains of dependent additions: several sets of them take
// turns. The smaller tiles at the ends have as many sets, so that equal columns
// have equal sums.
void MatmulChooser::chooseAccumulators() {
  bool highest = high || (shape.isVnni && many);
  int64_t least = many ? 16 : 8, maxTerms = highest ? 112 : 224;
  int64_t sums =
      alikeTiles().most() *
      llvm::divideCeil(std::min(shape.columns, s.tileColumns), shape.lanes);
  int64_t sets = 1;
  while (sets * sums < least)
    sets *= 2;
  set(&MatmulSchedule::accumulatorSets, sets);
  set(&MatmulSchedule::unroll, std::clamp<int64_t>(maxTerms / sums, 1, 8));
}

// Threads that share rows each read all of the right side, so rows must be
// many, compared with panels.
bool MatmulChooser::sharesRows() const {
  int64_t manyRows =
      s.packInside ? 448 : std::min<int64_t>(448, 14 * columnTiles());
  return isByRowBlocks() || (!sharesBatches() && shape.rows >= manyRows);
}

void MatmulChooser::chooseShare() {
  bool shares = context.isShared(cyclesOf(shape));
  set(&MatmulSchedule::share, !shares           ? MatmulShare::none
                              : isByRowBlocks() ? MatmulShare::rowBlocks
                              : sharesBatches() ? MatmulShare::batches
                              : sharesRows()    ? MatmulShare::rows
                                                : MatmulShare::columns);
}

// The elements of the depth that a tile of columns sees at once. Few registers
// need all of L1 for a part of a panel; what low tiles read of the left side
// passes through. Wide tiles get half of L1, as they read more of the left side
// than would come from L2 in time.
int64_t MatmulChooser::largestBlock() const {
  int64_t bytes = s.packInside     ? target.l1 / 2
                  : blocksForFew() ? (vectors() > 2 ? target.l1 / 2 : target.l1)
                  : blocksForL2()  ? target.l2 / 8
                                   : target.l1 / 4 * 3;
  int64_t longest =
      std::max<int64_t>(64, bytes / (s.tileColumns * shape.sumBytes()));
  // Blocks of less than two chains would be summed as one (BlockedSums), with
  // a larger error: rather of one chain's length.
  return blocksForFew() && longest > s.chain && longest < 2 * s.chain ? s.chain
                                                                      : longest;
}

// If L2 has but few whole rows of the left side beside the panels, it rather
// has some of the depth of more rows: 128 with few registers, and 256 of low
// tiles of many, whose panels pass L2 faster.
int64_t MatmulChooser::chooseSlab() const {
  if (blocksForL2())
    return std::min(shape.depth, s.depthBlock);
  int64_t bytes = shape.sumBytes(), room = bytesOfRows();
  bool few = blocksForFew();
  int64_t fewRows = few ? 48 : 96, moreRows = few ? 128 : 256;
  bool readsTwice =
      few ? alike >= 64
          : alikeTiles().count * s.tileRows * shape.depth * bytes > room;
  if (s.packInside || !readsTwice || shape.columns <= s.tileColumns ||
      shape.depth * bytes * fewRows <= room)
    return shape.depth;
  int64_t blocks = room / (moreRows * bytes) / s.depthBlock;
  return std::min(shape.depth, s.depthBlock * std::max<int64_t>(1, blocks));
}

// Between blocks of the depth the partial sums are spilled to the result, whose
// type must represent them exactly. A product that reads the right side once
// needs no blocks, unless it packs them.
void MatmulChooser::chooseDepth() {
  bool waits = shape.sumElement == shape.outElement;
  int64_t block = shape.depth;
  if (waits && (alikeTiles().count > 1 || s.packInside))
    block = llvm::alignTo(EvenSplit(shape.depth, largestBlock()).most(), 8);
  block = std::max<int64_t>(block, 1);
  // A single row of a matrix that comes from beyond L2 reads it in its order.
  int64_t ofProduct = shape.weights / (shape.sharesB ? 1 : shape.batches);
  bool reads = readsRowOfPlain() && ofProduct > target.l2 &&
               shape.columns > s.tileColumns && waits;
  if (reads)
    block = std::max<int64_t>(4, llvm::divideCeil(shape.depth, s.chain));
  set(&MatmulSchedule::depthBlock, block);
  set(&MatmulSchedule::depthSlab,
      reads ? s.depthBlock : std::max<int64_t>(1, chooseSlab()));
}

void MatmulChooser::chooseBlockOfRows() {
  int64_t tiles = rowTiles(), height = s.tileRows;
  int64_t ofRow = s.depthSlab * shape.sumBytes();
  int64_t block = std::max<int64_t>(
      1, bytesOfRows() / std::max<int64_t>(1, height * ofRow));
  block = s.packInside ? tiles : std::min(block, tiles);
  // If the right side stays in L2, rows are so few at a time that what their
  // epilogue touches is read and written as long runs.
  if (keepsRight() && !s.packInside)
    block = std::clamp<int64_t>(target.l2 / 16 / (height * touchedBytes()), 1,
                                block);
  // Threads that share rows split their own tiles. Chunks smaller than a block
  // would read the right side for less.
  bool shared = context.inFunction && sharesRows() && !isByRowBlocks();
  int64_t own = shared ? llvm::divideCeil(tiles, context.threads) : tiles;
  bool coarse =
      s.packInside || context.threads < 2 || own < chunksOfThread * block;
  if (shared && !coarse)
    own = llvm::divideCeil(own, chunksOfThread);
  // A last block of few tiles would read all of the right side for these:
  // blocks are rather a little larger.
  if (!s.packInside)
    block = llvm::divideCeil(own, llvm::divideCeil(own, block + block / 7));
  set(&MatmulSchedule::blockTiles, block);
  set(&MatmulSchedule::coarse, s.share == MatmulShare::rows && coarse);
}

// Whether rows of a tile compete for a set of L1.
bool MatmulChooser::rowsCollide() const {
  if (shape.transposesA || shape.columns <= shape.lanes || shape.rows < 2 ||
      !shape.rowStride)
    return false;
  int64_t bytes = shape.aBytes();
  return shape.depth * bytes * (shape.isVnni ? 4 : 1) > 64 &&
         target.linesCollide(*shape.rowStride * bytes,
                             std::min(shape.rows, s.tileRows));
}

// Whether the part of a block of rows that L2 should keep falls on so few of
// its sets that their ways do not hold it. Neighbouring pages are assumed to be
// neighbours in memory too.
bool MatmulChooser::blocksCollide() const {
  constexpr int64_t ways = 8;
  if (shape.transposesA || !shape.rowStride || *shape.rowStride <= 0)
    return false;
  int64_t bytes = shape.aBytes(), way = target.l2 / ways;
  int64_t apart = std::gcd(*shape.rowStride * bytes, way);
  int64_t rows = std::min(shape.rows, s.blockTiles * s.tileRows);
  return rows * apart > target.l2 && s.depthSlab * bytes <= apart;
}

// Rows are copied if their lines collide, if they end within a group of 4
// bytes, or if several tiles would widen the same elements. For the sake of L2
// a copy must serve many panels.
void MatmulChooser::chooseCopy() {
  bool slabs = !blocksForL2() && !shape.isVnni && s.depthSlab < shape.depth &&
               sharesRows() && !isByRowBlocks();
  bool widens = !shape.isVnni && shape.sumElement != shape.aElement &&
                !shape.transposesA &&
                rowTiles() * shape.columns > s.tileColumns;
  bool copies =
      rowsCollide() || shape.hasPartialGroup ||
      (slabs && shape.columns >= 32 * s.tileColumns && blocksCollide()) ||
      widens;
  set(&MatmulSchedule::copy, !copies ? MatmulCopy::none
                             : slabs ? MatmulCopy::slab
                                     : MatmulCopy::block);
  // Each chunk of columns would copy the rows for itself, unless there is one
  // block of rows, which threads copy together.
  bool copiesTogether = shape.batches == 1 && s.blockTiles >= rowTiles();
  if (s.share == MatmulShare::columns)
    set(&MatmulSchedule::coarse, s.copy != MatmulCopy::none && !copiesTogether);
}

void MatmulChooser::choosePrefetch() {
  int64_t tiles = rowTiles();
  bool readsOnce = shape.batches == 1 && tiles == 1 && !isByRowBlocks() &&
                   shape.panel && !s.packInside && s.copy == MatmulCopy::none;
  // Of weights that one tile of rows reads once, and a cache holds in part, a
  // run that begins where the one before has ended finds that part.
  set(&MatmulSchedule::alternate, readsOnce &&
                                      shape.columns % s.tileColumns == 0 &&
                                      shape.weights > target.l2 / 2);
  // More than two rows wait for L3 no longer, but for memory, where weights of
  // 16 times L2 are assumed to be: there prefetches cost nothing.
  int64_t own = shape.weights / context.threads;
  bool streams = readsOnce && !hasSeveralPanels() && target.fetchesStreams() &&
                 own > target.l2 * (shape.rows <= 2 ? 1 : 16);
  // A right side that stays in L2, where prefetches go, is fetched by its first
  // use.
  bool toL2 = !s.packInside && !blocksForL2();
  bool stays = keepsRight() && toL2 && (shape.batches == 1 || shape.sharesB);
  bool ahead = (tiles > 1 || isByRowBlocks()) && !stays;
  set(&MatmulSchedule::prefetch, streams ? MatmulPrefetch::stream
                                 : ahead ? MatmulPrefetch::panel
                                         : MatmulPrefetch::none);
  bool toL1 = !toL2 || s.prefetch == MatmulPrefetch::stream ||
              target.fetchesPanelsToL1();
  set(&MatmulSchedule::prefetchLevel, int64_t(toL1 ? 1 : 2));
  set(&MatmulSchedule::prefetchResult, touchesMuch());
}

} // namespace

MatmulContext MatmulContext::of(kernel::MatmulOp op, const Target &target) {
  return {KernelContext::of(op),
          /*mayPack=*/op.getLayout().isPanels() && packBefore(op),
          /*chain=*/longestChain(target, /*ofPixels=*/op.getShared())};
}

bool isByRowBlocks(const MatmulShape &shape, const MatmulContext &context,
                   const MatmulSchedule &schedule) {
  return context.rowBlocks && context.rowBlocks->rows == shape.rows &&
         shape.batches == 1 && context.inFunction && !schedule.packInside &&
         context.rowBlocks->size < shape.rows;
}

MatmulSchedule chooseMatmul(const MatmulShape &shape,
                            const MatmulContext &context, const Target &target,
                            const MatmulSchedule &given, DictionaryAttr fixed) {
  return MatmulChooser(shape, context, target, given, fixed).run();
}

} // namespace weir::cpu
