// Products of f32 of whose terms most are pairs that one multiplication makes:
//
//     x1 y1 + x2 y2 = (x1 + y2) (x2 + y1) - x1 x2 - y1 y2
//
// (dialects/kernel/Pairs.h). Cores that add in other pipes than they multiply
// in have additions for nothing; with a third of the terms as they are, both
// are equally many, and what is multiplied is two thirds. Both sides are scaled
// to be alike, so that sums lose no more than those of products do. A row that
// cannot be scaled so, whose pairs are too uneven, or that is nearly empty, is
// multiplied as ever, by the weights without their scale.
//
// The loops, from outside: slabs of rows (so that they stay in L2), panels,
// tiles of rows, depth. Threads share slabs, or all tiles of all panels where
// slabs are few.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/pairs/PairTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
namespace {

using kernel::Pairs;

struct PairEmitter {
  static constexpr int64_t lanes = PairRows::lanes;

  Emitter &e;
  kernel::MatmulOp op;
  Value a, b, out;
  int64_t rows, columns, depth, panels;
  bool sharesLoads;       // of the left side
  int64_t mostRows;       // of a tile
  EvenSplit tiles, slabs; // of rows, of tiles
  bool fetches;           // panels before they are used
  bool toL1;

  PairEmitter(Emitter &e, kernel::MatmulOp op, const kernel::Target &target)
      : e(e), op(op), a(op.getA()), b(op.getB()), out(op.getOut()),
        rows(rowsOf(out)), columns(e.shape(out).back()),
        depth(e.shape(a).back()), panels(e.shape(b)[0]),
        sharesLoads(target.fmaRate > 1),
        mostRows(sharesLoads ? PairTile::mostOfShared : PairTile::most),
        tiles(rows, mostRows), slabs(tiles.count, tilesOf(target.l2 / 2)),
        fetches(4 * ShapedType::getNumElements(e.shape(b)) > target.l2 / 2),
        toL1(target.fetchesPanelsToL1()) {}

  static int64_t rowsOf(Value out) {
    return ShapedType::getNumElements(Emitter::shape(out).drop_back());
  }

  int64_t tilesOf(int64_t bytes) const {
    return std::max<int64_t>(1, bytes / (4 * mostRows * depth));
  }

  double nanoseconds() const {
    double products = double(rows) * double(columns) * double(depth);
    return std::max(
        productTime(products, lanes) * 0.7,
        movingTime(4. * double(ShapedType::getNumElements(e.shape(b)))));
  }

  // The rows of tile `tile`, which `left` has as its tile `slot`.
  struct Rows {
    PairRows &left;
    Value tile, slot;
  };

  // Each tile fetches its share of the panel that comes next.
  void fetchAhead(const Rows &at, Value panel, Value group) {
    if (!fetches)
      return;
    int level = toL1 ? 1 : 2;
    constexpr int64_t perLine = Emitter::lineBytes / 4;
    constexpr int64_t linesAGroup = Pairs::group * Pairs::panelWidth / perLine;
    int64_t share = llvm::divideCeil(linesAGroup, slabs.size);
    Value turn = e.plus(e.times(at.slot, depth / Pairs::group), group);
    Value next = e.plus(panel, 1), zero = e.index(0);
    for (int64_t i = 0; i < share; ++i)
      e.prefetch(
          b, {next, zero, e.plus(e.times(turn, share * perLine), i * perLine)},
          level);
  }

  void tile(const Rows &at, int64_t height, Value panel, int64_t valid) {
    Value row = e.beginOf(tiles, at.tile);
    auto position = [&](Value, Value x) {
      return e.indicesOf(e.plus(row, x), e.shape(out).drop_back());
    };
    Tile shape{1,     height,   valid,
               lanes, position, e.times(panel, Pairs::panelWidth)};
    PairTile tile{e,       at.left, b,          height, shape.vectors(),
                  at.slot, panel,   sharesLoads};
    finishTile(e, op, shape,
               tile.sums([&](Value group) { fetchAhead(at, panel, group); }));
  }

  void tile(const Rows &at, Value panel, int64_t valid) {
    if (tiles.larger == 0)
      return tile(at, tiles.size, panel, valid);
    Value isLarger = e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, at.tile,
                                             e.index(tiles.larger));
    e.ifElse(
        isLarger, [&] { tile(at, tiles.size + 1, panel, valid); },
        [&] { tile(at, tiles.size, panel, valid); });
  }

  void tile(const Rows &at, Value panel) {
    constexpr int64_t width = Pairs::panelWidth;
    int64_t rest = columns % width;
    if (rest == 0)
      return tile(at, panel, width);
    if (panels == 1)
      return tile(at, panel, rest);
    Value isWhole = e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, panel,
                                            e.index(panels - 1));
    e.ifElse(
        isWhole, [&] { tile(at, panel, width); },
        [&] { tile(at, panel, rest); });
  }

  PairRows rowsFor(int64_t some) {
    return PairRows(e, a, some, tiles.size + (tiles.larger != 0));
  }

  void take(PairRows &left, Value tile, Value slot) {
    Value first = e.beginOf(tiles, tile);
    left.take(first, e.sizeOf(tiles, tile, first), slot);
  }

  void slabsBetween(Value low, Value high) {
    PairRows left = rowsFor(slabs.size + (slabs.larger != 0));
    e.loop(low, high, 1, [&](Value slab) {
      Value first = e.beginOf(slabs, slab);
      Value count = e.sizeOf(slabs, slab, first);
      e.loop(e.index(0), count, 1,
             [&](Value i) { take(left, e.plus(first, i), i); });
      e.loop(panels, [&](Value panel) {
        e.loop(e.index(0), count, 1,
               [&](Value i) { tile({left, e.plus(first, i), i}, panel); });
      });
    });
  }

  // All rows, before all products.
  void together() {
    PairRows left = rowsFor(tiles.count);
    e.parts(tiles.count, /*few=*/false, [&](Value low, Value high) {
      e.loop(low, high, 1, [&](Value t) { take(left, t, t); });
    });
    e.parts(panels * tiles.count, /*few=*/false, [&](Value low, Value high) {
      e.loop(low, high, 1, [&](Value i) {
        Value t = e.modulo(i, tiles.count);
        tile({left, t, t}, e.dividedBy(i, tiles.count));
      });
    });
  }

  void run() {
    e.share(nanoseconds());
    int64_t threads = slotsOf(op);
    if (e.isShared() && threads > 1) {
      int64_t even = llvm::alignTo(slabs.count, threads);
      double most =
          double(even / threads) * llvm::divideCeil(tiles.count, even);
      if (slabs.count < threads || most * threads > 1.1 * tiles.count)
        return together();
      slabs.setCount(tiles.count, even);
    }
    e.parts(slabs.count, /*few=*/true,
            [&](Value low, Value high) { slabsBetween(low, high); });
  }
};

} // namespace

void emitPairs(Emitter &e, kernel::MatmulOp op, const kernel::Target &target) {
  kernel::MatmulOp joined = joinBatches(e, op);
  PairEmitter(e, joined, target).run();
  if (joined != op)
    joined->erase();
}

} // namespace weir
