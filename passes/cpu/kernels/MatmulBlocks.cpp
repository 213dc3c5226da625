// How a product of matrices is cut for registers and caches.

#include "passes/cpu/kernels/MatmulBlocks.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

using namespace mlir;

namespace weir {

// Whether rows of a tile fight for a set of L1.
static bool rowsCollide(kernel::MatmulOp op, const MatmulBlocks &blocks,
                        const kernel::Target &target) {
  auto type = cast<MemRefType>(op.getA().getType());
  int64_t offset;
  SmallVector<int64_t> strides;
  if (op.getTransposeA() || blocks.columns <= blocks.lanes || blocks.rows < 2 ||
      failed(getStridesAndOffset(type, strides, offset)))
    return false;
  int64_t stride = strides[strides.size() - 2];
  if (ShapedType::isDynamic(stride))
    return false;
  int64_t bytes = Emitter::elementBytes(op.getA());
  return blocks.depth * bytes * (blocks.words ? 4 : 1) > 64 &&
         target.linesCollide(stride * bytes,
                             std::min(blocks.rows, blocks.height));
}

// Whether what L2 should keep of a block of rows falls on so few of its sets
// that their ways do not hold it. Pages that are neighbours are taken to be
// such in memory too.
static bool blocksCollide(kernel::MatmulOp op, const MatmulBlocks &blocks,
                          const kernel::Target &target) {
  constexpr int64_t ways = 8;
  auto type = cast<MemRefType>(op.getA().getType());
  int64_t offset;
  SmallVector<int64_t> strides;
  if (op.getTransposeA() || failed(getStridesAndOffset(type, strides, offset)))
    return false;
  int64_t stride = strides[strides.size() - 2];
  if (ShapedType::isDynamic(stride) || stride <= 0)
    return false;
  int64_t bytes = Emitter::elementBytes(op.getA()), way = target.l2 / ways;
  int64_t apart = std::gcd(stride * bytes, way);
  int64_t rows = std::min(blocks.rows, blocks.tilesABlock * blocks.height);
  return rows * apart > target.l2 && blocks.depthSlab * bytes <= apart;
}

kernel::PackOp packBefore(kernel::MatmulOp op) {
  auto buffer = op.getB().getDefiningOp<memref::AllocOp>();
  if (op.getShared() || !buffer || !llvm::hasNItems(buffer->getUsers(), 2))
    return {};
  kernel::PackOp pack;
  for (Operation *user : buffer->getUsers())
    if (auto packs = dyn_cast<kernel::PackOp>(user))
      pack = packs;
  if (!pack || pack.getOut() != buffer || pack.getB() == op.getOut() ||
      pack.getLayout() != op.getLayout() ||
      pack->getBlock() != op->getBlock() || !pack->isBeforeInBlock(op))
    return {};
  // What is packed must still be there when the product begins.
  for (Operation *between = pack->getNextNode(); between != op;
       between = between->getNextNode())
    if (!isMemoryEffectFree(between) && !isa<memref::AllocOp>(between))
      return {};
  return pack;
}

kernel::PackOp packingInside(kernel::MatmulOp op,
                             const kernel::Target &target) {
  kernel::PackOp pack = packBefore(op);
  if (!op.getLayout().isPanels() || !pack)
    return {};
  Type sum = op.getEpilogue().front().getArgument(0).getType();
  ArrayRef<int64_t> a = Emitter::shape(op.getA()).take_back(2);
  ArrayRef<int64_t> panels = Emitter::shape(op.getB());
  int64_t bytes = Emitter::elementBytes(op.getB());
  int64_t depth = a[!op.getTransposeA()];
  int64_t part = MatmulBlocks::partBytes(target);
  // Between parts the sums wait in the result, which must hold them exactly.
  bool whole = depth * panels.back() * bytes <= part;
  int64_t alike = llvm::PowerOf2Ceil(a[op.getTransposeA()]);
  bool readsAgain =
      alike * depth * Emitter::elementBytes(op.getA()) <= target.l2 / 2;
  if ((!whole && sum != Emitter::element(op.getOut())) || !readsAgain)
    return {};
  return pack;
}

MatmulBlocks::MatmulBlocks(kernel::MatmulOp op, const kernel::Target &target,
                           int64_t chain, bool packsParts)
    : packsParts(packsParts) {
  Value a = op.getA(), b = op.getB(), out = op.getOut();
  ArrayRef<int64_t> shape = Emitter::shape(out);
  batches = ShapedType::getNumElements(shape.drop_back(2));
  rows = shape[shape.size() - 2];
  // In what order terms are summed follows from this alone, so that rows have
  // the same sums in a matrix of a few more.
  int64_t alike = llvm::PowerOf2Ceil(rows);
  columns = shape.back();
  depth = Emitter::shape(a).take_back(2)[!op.getTransposeA()];
  sumElement = op.getEpilogue().front().getArgument(0).getType();
  kernel::LayoutAttr layout = op.getLayout();
  words = layout.isVnni();
  int64_t bytesPast = words ? depth % 4 : 0;
  if (words)
    depth = llvm::divideCeil(depth, 4);
  panel = layout.isPlain() ? 0 : layout.getWidth();
  // A panel that was packed for another vector width is read in parts.
  bool many = !target.sumsFillRegisters();
  int64_t whole = panel  ? panel
                  : many ? target.matrixPanelWidth(sumElement, columns)
                         : target.panelWidth(sumElement, columns);
  lanes = target.lanesWithin(sumElement, whole);
  // Of few registers one row needs them for sets of sums. Panels of three
  // vectors are read as such only, wider ones in parts.
  int64_t widest =
      many || alike == 1 ? 3 : target.widestLowTile(Emitter::element(b));
  width = lanes;
  for (int64_t some = 2; some <= widest; ++some)
    if (whole == some * lanes || (some != 3 && whole % (some * lanes) == 0))
      width = some * lanes;
  int64_t weights =
      ShapedType::getNumElements(Emitter::shape(b)) * Emitter::elementBytes(b);
  // All from the operands: in what order terms are summed follows from it.
  int64_t several =
      target.widthOfSeveralPanels(Emitter::element(b), rows, columns,
                                  depth * columns * Emitter::elementBytes(b));
  severalPanels = panel && several > panel && several % panel == 0 &&
                  batches == 1 && !words && !packsParts;
  if (severalPanels)
    width = several;
  // A row alone reads of a plain matrix runs as long as registers allow.
  bool rowOfPlain = !panel && alike == 1 && many;
  if (rowOfPlain)
    width = lanes * std::clamp<int64_t>(llvm::divideCeil(columns, lanes),
                                        width / lanes, 16);
  int64_t vectors = width / lanes;
  int64_t bytes = std::max<int64_t>(1, sumElement.getIntOrFloatBitWidth() / 8);
  // Where all of B stays in L2, so few rows at a time that what their epilogue
  // touches is read and written as long runs.
  int64_t touched = (1 + op.getExtras().size()) * columns * bytes;
  touchesMuch = alike * touched > target.l2 / 2;
  bool streams = touchesMuch && columns * depth * bytes <= target.l2 / 2;

  // One product a cycle leaves time for loads: low tiles whose sums are in two
  // sets, so that chains of additions are half as long and what goes on between
  // them overlaps better with that of the next tile. Two a cycle do not: tiles
  // as high as the registers allow, unless rows are few, or sums short: those
  // of short chains, which wait in memory, need more to be worth it.
  bool high = many && target.fmaRate > 1 && depth >= (chain < 64 ? 256 : 64) &&
              alike > 16;
  bool blocksOutside = high && !packsParts;
  // Of few registers a part of a panel is all that L1 holds: what low tiles
  // read of A passes through. Of wide ones half, as their tiles read more of it
  // than would come from L2 in time.
  bool lowTiles = !many && !packsParts;
  bool fetchesToL2 = !packsParts && !blocksOutside;
  int64_t lowPart = vectors > 2 ? target.l1 / 2 : target.l1;
  // Sums of integers are the same in any order.
  high |= words && many;
  leastSums = many ? 16 : 8;
  mostTerms = high ? 112 : 224;
  int64_t most = high ? 28 : vectors == 3 ? 12 : 10;
  height = many ? std::max<int64_t>(1, most / vectors)
                : target.lowTileHeight(vectors);

  EvenSplit alikeTiles(alike, height);
  mostSums = (alikeTiles.size + (alikeTiles.larger != 0)) *
             ((std::min(columns, width) + lanes - 1) / lanes);
  // Which rows are a tile changes no sum.
  bool inFunction = isa<func::FuncOp>(op->getParentOp());
  splitRows = rows;
  auto rowBlocks = RowBlocks::of(op);
  if (rowBlocks && rowBlocks->rows == rows && batches == 1 && inFunction &&
      !packsParts)
    splitRows = rowBlocks->size;
  int64_t tiles = rowTiles();
  depthBlock = depth;
  // Between blocks of the depth the sums wait in the result, which must hold
  // them exactly; a product that reads B once needs no blocks, unless it packs
  // a block on the stack.
  if (sumElement == Emitter::element(out) &&
      (alikeTiles.count > 1 || packsParts)) {
    int64_t part = packsParts      ? partBytes(target)
                   : lowTiles      ? lowPart
                   : blocksOutside ? target.l2 / 8
                                   : target.l1 / 4 * 3;
    int64_t longest = std::max<int64_t>(64, part / (width * bytes));
    // Blocks of less than two chains would be summed as one (WaitingSums), with
    // a larger error: rather of one chain's length.
    if (lowTiles && longest > chain && longest < 2 * chain)
      longest = chain;
    EvenSplit blocks(depth, longest);
    depthBlock = (blocks.size + (blocks.larger != 0) + 7) / 8 * 8;
  }
  // The others of L2 are panels, the one at hand and the next, and results.
  int64_t slab = blocksOutside ? target.l2 / 4 : target.l2 / 2;
  depthSlab = blocksOutside ? std::min(depth, depthBlock) : depth;
  // Where L2 has but few whole rows of A beside the panels, which would meet no
  // more, rather some of the depth of more rows: of few registers 128, of low
  // tiles of many 256, whose panels pass L2 faster.
  int64_t fewRows = lowTiles ? 48 : 96;
  int64_t moreRows = lowTiles ? 128 : 256;
  bool meetsTwice =
      lowTiles ? alike >= 64 : alikeTiles.count * height * depth * bytes > slab;
  if (!blocksOutside && !packsParts && meetsTwice && columns > width &&
      depth * bytes * fewRows > slab)
    depthSlab = std::min(
        depth, depthBlock * std::max<int64_t>(1, slab / (moreRows * bytes) /
                                                     depthBlock));
  // Of a plain matrix that L2 does not hold a row reads few rows at a time, as
  // streams, rather than a part of each; of a deep one more, as the sums of so
  // many parts are a chain.
  int64_t product = weights / (op.getShared() ? 1 : batches);
  if (rowOfPlain && product > target.l2 && columns > width &&
      sumElement == Emitter::element(out))
    depthBlock = depthSlab =
        std::max<int64_t>(4, llvm::divideCeil(depth, chain));
  tilesABlock = std::max<int64_t>(
      1, slab / std::max<int64_t>(1, height * depthSlab * bytes));
  tilesABlock = packsParts ? tiles : std::min(tilesABlock, tiles);
  if (streams && !packsParts)
    tilesABlock = std::clamp<int64_t>(target.l2 / 16 / (height * touched), 1,
                                      tilesABlock);
  // A last block of few tiles would read all of B for these. Of a part of a
  // thread's own tiles, rather blocks that are a little larger.
  fewParts = true;
  if (!packsParts) {
    bool shared = inFunction && sharesRows() && !isByGrains();
    int64_t own = shared ? llvm::divideCeil(tiles, slotsOf(op)) : tiles;
    fewParts = !shared || slotsOf(op) < 2 || own < partsOfThread * tilesABlock;
    if (!fewParts)
      own = llvm::divideCeil(own, partsOfThread);
    int64_t largest = tilesABlock + tilesABlock / 7;
    tilesABlock = llvm::divideCeil(own, llvm::divideCeil(own, largest));
  }
  bool slabs = !blocksOutside && !words && depthSlab < depth && sharesRows() &&
               !isByGrains();
  // For the sake of L2, a copy must serve many panels.
  copiesRows =
      rowsCollide(op, *this, target) || bytesPast ||
      (slabs && columns >= 32 * width && blocksCollide(op, *this, target)) ||
      (!words && sumElement != Emitter::element(a) && !op.getTransposeA() &&
       tiles * columns > width);
  copiesSlabs = copiesRows && slabs;
  bool readsOnce = batches == 1 && tiles == 1 && !isByGrains() && panel &&
                   !packsParts && !copiesRows;
  alternates = readsOnce && columns % width == 0 && weights > target.l2 / 2;
  // More rows wait for L3 no longer, but for memory, where 16 times as much as
  // L2 holds is taken to be: there prefetches cost nothing.
  int64_t own = weights / slotsOf(op);
  streamsPanels = readsOnce && !severalPanels && target.fetchesStreams() &&
                  own > target.l2 * (rows <= 2 ? 1 : 16);
  // All of B that stays in L2, where fetches go, is fetched by its first use.
  bool stays = streams && fetchesToL2 && (batches == 1 || op.getShared());
  fetchesPanels = streamsPanels || ((tiles > 1 || isByGrains()) && !stays);
  bool toL1 = !fetchesToL2 || streamsPanels || target.fetchesPanelsToL1();
  fetchLevel = toL1 ? 1 : 2;
}

DepthPart DepthPart::all(Emitter &e, int64_t depth) {
  return {e.index(0), depth, /*begins=*/nullptr, /*ends=*/true};
}

// A block that ends the sums, or is smaller, is generated of its own.
void DepthPart::eachBlock(Emitter &e, int64_t size,
                          function_ref<void(const DepthPart &)> body) const {
  if (count <= size)
    return body(*this);
  int64_t rest = (count - 1) % size + 1;
  bool apart = ends || rest < size;
  int64_t alike = apart ? count - rest : count;
  e.loop(e.index(0), e.index(alike), size, [&](Value k) {
    Value here = begins;
    if (alike > size) {
      here = e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, k, e.index(0));
      if (begins)
        here = e.create<arith::AndIOp>(begins, here);
    }
    body({e.plus(first, k), size, here, /*ends=*/false});
  });
  if (!apart)
    return;
  Value no = e.create<arith::ConstantIntOp>(0, e.getI1Type());
  body({e.plus(first, alike), rest, no, ends});
}

double MatmulBlocks::nanoseconds(kernel::MatmulOp op) const {
  Value out = op.getOut(), b = op.getB();
  double products =
      double(ShapedType::getNumElements(Emitter::shape(out))) * depth;
  double time = productTime(products, lanes) / (words ? 2 : 1);
  return std::max(time,
                  movingTime(ShapedType::getNumElements(Emitter::shape(b)) *
                             Emitter::elementBytes(b)));
}

} // namespace weir
