// Products of f32 of whose terms most are pairs that one multiplication makes:
//
//     x1 y1 + x2 y2 = (x1 + y2) (x2 + y1) - x1 x2 - y1 y2
//
// (dialects/kernel/Pairs.h). Cores that add in other pipes than they multiply
// in have additions for nothing; with a third of the terms as they are, both
// are equally many, and what is multiplied is two thirds. Both sides are scaled
// to be alike, so that sums lose no more than those of products do. A tile with
// a row that cannot be scaled so, or whose pairs are too uneven, is multiplied
// as ever, by the weights without their scale.
//
// The loops, from outside: slabs of rows (so that they stay in L2), panels,
// tiles of rows, depth. Threads share slabs, or all tiles of all panels where
// slabs are few.

#include "passes/cpu/kernels/Pairs.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/kernels/WaitingSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
namespace {

using kernel::Pairs;

// What remains of the registers holds two or three vectors of each of a pair's
// rows of weights, and sums on their way.
constexpr int64_t tileRows = 7;

// Fewer than this are summed up in shorter chains: what pairs round more of is
// as much of one chain as of several.
constexpr int64_t fewTerms = 128;

struct PairEmitter {
  static constexpr int64_t lanes = PairRows::lanes;

  Emitter &e;
  kernel::MatmulOp op;
  Value a, b, out;
  int64_t rows = 1, columns, depth, panels;
  EvenSplit tiles, slabs; // of rows, of tiles
  WaitingSums waiting;
  bool fetches; // panels before they are used

  PairEmitter(Emitter &e, kernel::MatmulOp op, const kernel::Target &target,
              int64_t chain)
      : e(e), op(op), a(op.getA()), b(op.getB()), out(op.getOut()),
        rows(rowsOf(out)), columns(e.shape(out).back()),
        depth(e.shape(a).back()), panels(e.shape(b)[0]), tiles(rows, tileRows),
        slabs(tiles.count, tilesOf(target.l2 / 2)),
        waiting{e, depth < fewTerms ? fewTerms / 4 : chain,
                /*fewRegisters=*/false},
        fetches(4 * ShapedType::getNumElements(e.shape(b)) > target.l2 / 2) {}

  static int64_t rowsOf(Value out) {
    return ShapedType::getNumElements(Emitter::shape(out).drop_back());
  }

  int64_t tilesOf(int64_t bytes) const {
    return std::max<int64_t>(1, bytes / (4 * tileRows * depth));
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

  Value weights(Value panel, Value line, int64_t v) {
    return e.load(b, {panel, line, e.index(v * lanes)}, lanes, lanes);
  }

  // The sums of a group of terms from `k` on, by lines of `left` from `lines`
  // on: an index for each vector of columns. All that a multiplication or
  // addition reads of the left side it loads itself, as a load for several
  // would take a turn of their pipes; so LLVM must not see that these are one.
  void addGroup(const PairRows &left, ArrayRef<Value> lines, Value panel,
                Value k, Emitter::Values &sums) {
    int64_t vectors = lines.size(), height = sums.size() / vectors;
    for (bool second : {false, true}) {
      Value first = e.plus(k, second ? Pairs::group / 2 : 0);
      Emitter::Values y[3];
      for (int64_t t = 0; t < 3; ++t)
        for (int64_t v = 0; v < vectors; ++v)
          y[t].push_back(weights(panel, e.plus(first, t), v));
      for (int64_t i = 0; i < height; ++i)
        for (int64_t v = 0; v < vectors; ++v) {
          auto x = [&](int64_t t) {
            return e.splat(e.create<memref::LoadOp>(
                               left.scaled, ValueRange{e.plus(lines[v], i),
                                                       e.plus(first, t)}),
                           lanes);
          };
          Value &sum = sums[i * vectors + v];
          if (second) {
            Value one = e.create<arith::SubFOp>(y[1][v], x(0));
            Value other = e.create<arith::SubFOp>(y[0][v], x(1));
            sum = e.multiplyAdd(e.create<arith::NegFOp>(one), other, sum);
          } else {
            sum =
                e.multiplyAdd(e.sum(y[1][v], x(0)), e.sum(y[0][v], x(1)), sum);
          }
          sum = e.multiplyAdd(x(2), y[2][v], sum);
        }
      e.compilerFence();
    }
  }

  // Each tile fetches its share of the panel that comes next, to L2.
  void fetchAhead(const Rows &at, Value panel, Value group) {
    if (!fetches)
      return;
    constexpr int64_t perLine = Emitter::lineBytes / 4;
    constexpr int64_t linesAGroup = Pairs::group * Pairs::panelWidth / perLine;
    int64_t share = llvm::divideCeil(linesAGroup, slabs.size);
    Value turn = e.plus(e.times(at.slot, depth / Pairs::group), group);
    Value next = e.plus(panel, 1), zero = e.index(0);
    for (int64_t i = 0; i < share; ++i)
      e.prefetch(
          b, {next, zero, e.plus(e.times(turn, share * perLine), i * perLine)},
          /*level=*/2);
  }

  Emitter::Values byPairs(const Rows &at, int64_t height, Value panel,
                          int64_t vectors) {
    PairRows &left = at.left;
    Value line = e.times(at.slot, left.linesATile);
    // Each of the one before, or LLVM would see that they are equal.
    SmallVector<Value> lines = {line};
    while (int64_t(lines.size()) < vectors)
      lines.push_back(e.opaque(lines.back()));
    Emitter::Values sums(height * vectors, e.zeros(e.getF32Type(), lanes));
    sums = waiting.loop(
        depth / Pairs::group, /*unroll=*/1, sums,
        [&](Value group, int64_t count, Emitter::Values &sums) {
          for (int64_t g = 0; g < count; ++g) {
            Value here = e.plus(group, g);
            fetchAhead(at, panel, here);
            addGroup(left, lines, panel, e.times(here, Pairs::group), sums);
          }
        },
        /*sets=*/1, Pairs::group);
    for (int64_t k = Pairs::grouped(depth); k < depth; ++k)
      for (int64_t v = 0; v < vectors; ++v) {
        Value y = weights(panel, e.index(k), v);
        for (int64_t i = 0; i < height; ++i) {
          Value x = e.create<memref::LoadOp>(
              left.scaled, ValueRange{e.plus(line, i), e.index(k)});
          Value &sum = sums[i * vectors + v];
          sum = e.multiplyAdd(e.splat(x, lanes), y, sum);
        }
      }
    for (int64_t v = 0; v < vectors; ++v) {
      Value alone = weights(panel, e.index(depth), v);
      Value scale = weights(panel, e.index(depth + 1), v);
      for (int64_t i = 0; i < height; ++i) {
        auto ofRow = [&](Value buffer) {
          return e.splat(e.create<memref::LoadOp>(buffer, e.plus(line, i)),
                         lanes);
        };
        Value &sum = sums[i * vectors + v];
        sum = e.create<arith::SubFOp>(sum, e.sum(ofRow(left.alone), alone));
        sum = e.create<arith::MulFOp>(sum, scale);
        sum = e.create<arith::MulFOp>(sum, ofRow(left.scales));
      }
    }
    return sums;
  }

  // By `a` and the weights as they were.
  Emitter::Values byProducts(const Rows &at, Value row, int64_t height,
                             Value panel, int64_t vectors) {
    SmallVector<Emitter::Values> places;
    for (int64_t i = 0; i < height; ++i)
      places.push_back(at.left.placeOf(e.plus(row, i)));
    Emitter::Values scales;
    for (int64_t v = 0; v < vectors; ++v)
      scales.push_back(weights(panel, e.index(depth + 1), v));
    Emitter::Values sums(height * vectors, e.zeros(e.getF32Type(), lanes));
    return waiting.loop(
        depth, /*unroll=*/1, sums,
        [&](Value first, int64_t count, Emitter::Values &sums) {
          for (int64_t k = 0; k < count; ++k) {
            Emitter::Values y;
            for (int64_t v = 0; v < vectors; ++v)
              y.push_back(e.create<arith::MulFOp>(
                  weights(panel, e.plus(first, k), v), scales[v]));
            for (int64_t i = 0; i < height; ++i) {
              places[i].back() = e.plus(first, k);
              Value x = e.splat(e.create<memref::LoadOp>(a, places[i]), lanes);
              for (int64_t v = 0; v < vectors; ++v) {
                Value &sum = sums[i * vectors + v];
                sum = e.multiplyAdd(x, y[v], sum);
              }
            }
          }
        });
  }

  void tile(const Rows &at, int64_t height, Value panel, int64_t valid) {
    Value row = e.beginOf(tiles, at.tile);
    auto position = [&](Value, Value x) {
      return e.indicesOf(e.plus(row, x), e.shape(out).drop_back());
    };
    Tile shape{1,     height,   valid,
               lanes, position, e.times(panel, Pairs::panelWidth)};
    auto type = VectorType::get(lanes, e.getF32Type());
    SmallVector<Type> types(shape.count(), type);
    auto choice = e.create<scf::IfOp>(types, at.left.fit(at.slot));
    {
      OpBuilder::InsertionGuard guard(e);
      e.createBlock(&choice.getThenRegion());
      e.create<scf::YieldOp>(byPairs(at, height, panel, shape.vectors()));
      e.createBlock(&choice.getElseRegion());
      e.create<scf::YieldOp>(
          byProducts(at, row, height, panel, shape.vectors()));
    }
    finishTile(e, op, shape, choice.getResults());
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

void emitPairs(Emitter &e, kernel::MatmulOp op, const kernel::Target &target,
               int64_t chain) {
  kernel::MatmulOp joined = joinBatches(e, op);
  PairEmitter(e, joined, target, chain).run();
  if (joined != op)
    joined->erase();
}

} // namespace weir
