// Products of f32 of whose terms most are pairs that one multiplication makes:
//
//     x1 y1 + x2 y2 = (x1 + y2) (x2 + y1) - x1 x2 - y1 y2
//
// (dialects/kernel/PairingScheme.h). Cores that add in other pipes than they
// multiply in have additions for nothing; with a third of the terms as they
// are, both are equally many, and what is multiplied is two thirds. Both sides
// are scaled to be alike, so that sums lose no more than those of products do.
// A row that cannot be scaled so, whose pairs are too uneven, or that is nearly
// empty, is multiplied as ever, by the weights without their scale.
//
// The rows of a convolution are its windows, copied side by side.
//
// The loops, from outside: slabs of rows (so that they stay in L2), of many
// terms parts of the depth, panels, tiles of rows, depth. Threads share slabs,
// or all tiles of all panels where rows are few. Where half of L2 holds all
// rows, panels that the run makes are packed one at a time, and threads share
// these.

#include "dialects/kernel/cost/Cost.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/pairing/PairingPanels.h"
#include "passes/cpu/pairing/PairingResults.h"
#include "passes/cpu/pairing/PairingTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
namespace {

using kernel::PairingScheme;

struct PairingEmitter : kernel::PairingShape,
                        kernel::PairingSchedule,
                        kernel::PairingSplits {
  Emitter &e;
  kernel::KernelOpInterface op;
  const kernel::Target &target;
  LeftSide left;
  Value b;
  PairingResults results;
  Chains chainsOfGroups, chainsOfTerms;

  PairingEmitter(Emitter &e, kernel::KernelOpInterface op, LeftSide left,
                 Value b, const kernel::Target &target)
      : PairingShape(op, target),
        PairingSchedule(
            op->getAttrOfType<kernel::PairingScheduleAttr>("schedule")
                .getValue()),
        PairingSplits(*this, *this), e(e), op(op), target(target),
        left(std::move(left)), b(b), results(e, op), chainsOfGroups(chains),
        chainsOfTerms(kernel::PairingChains(depth, plainChain, roundChains)) {}

  // The rows of some tiles, and their spilled partial sums between parts of the
  // depth.
  struct Slab {
    PairingRows left;
    Value spilled;
    Value packed = {}; // one panel, where panels are packed one at a time
  };

  // The rows of tile `tile`, which `slab` has as its tile `slot`.
  struct Rows {
    Slab &slab;
    Value tile, slot;
  };

  // A part of the depth, in rounds of chains.
  struct Depth {
    Value low, high;
    bool isLast;
  };

  // `count` lines from number `line` of the next panel's part.
  void fetch(const Depth &part, Value panel, Value line, int64_t count) {
    constexpr int64_t perLine = Emitter::lineBytes / 4;
    Value next = e.plus(panel, 1);
    Value row =
        e.times(chainsOfGroups.beginOf(e, part.low), PairingScheme::group);
    for (int64_t i = 0; i < count; ++i)
      e.prefetch(b, {next, row, e.plus(e.times(line, perLine), i * perLine)},
                 static_cast<int>(prefetchLevel));
  }

  void tile(const Rows &at, int64_t height, Value panel, int64_t valid,
            const Depth &part) {
    Value row = e.beginOf(tiles, at.tile);
    auto position = [&](Value, Value x) {
      return results.positionOf(e.plus(row, x));
    };
    Tile shape{1,     height,   valid,
               lanes, position, e.times(panel, PairingScheme::panelWidth)};
    Value packed = at.slab.packed;
    PairingTile tile{e,
                     at.slab.left,
                     packed ? packed : b,
                     height,
                     shape.vectors(),
                     at.slot,
                     packed ? e.index(0) : panel,
                     reuseLoads,
                     chainsOfGroups,
                     chainsOfTerms,
                     at.slab.spilled};
    // Each tile fetches its part of the panel that comes next, or of the part
    // of its depth: some lines before it begins, or some with each group of
    // terms.
    if (prefetch == kernel::PairingPrefetch::tile)
      fetch(part, panel, e.times(at.slot, linesOfTile()), linesOfTile());
    auto ahead = [&](Value group) {
      if (prefetch != kernel::PairingPrefetch::group)
        return;
      Value own =
          e.plus(group, e.times(chainsOfGroups.beginOf(e, part.low), -1));
      Value turn = e.plus(e.times(at.slot, maxGroups()), own);
      fetch(part, panel, e.times(turn, linesOfGroup()), linesOfGroup());
    };
    if (prefetchResult && part.isLast)
      results.prefetch(shape);
    if (at.slab.spilled)
      tile.addRounds(part.low, part.high, ahead);
    if (part.isLast)
      results.finish(shape, row, tile.sums(ahead));
  }

  void tile(const Rows &at, Value panel, int64_t valid, const Depth &part) {
    e.eachSize(tiles, at.tile,
               [&](int64_t height) { tile(at, height, panel, valid, part); });
  }

  void tile(const Rows &at, Value panel, const Depth &part) {
    constexpr int64_t width = PairingScheme::panelWidth;
    int64_t rest = columns % width;
    if (rest == 0)
      return tile(at, panel, width, part);
    if (panels == 1)
      return tile(at, panel, rest, part);
    Value isWhole = e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, panel,
                                            e.index(panels - 1));
    e.ifElse(
        isWhole, [&] { tile(at, panel, width, part); },
        [&] { tile(at, panel, rest, part); });
  }

  // Of `some` tiles.
  Slab slabOf(int64_t some) {
    Value spilled;
    if (depths.count > 1) {
      int64_t sums = tiles.most() * PairingScheme::panelWidth / lanes;
      spilled = e.buffer({some, panels, sums, lanes}, e.getF32Type());
    }
    return {PairingRows(e, left, lanes, some, tiles.most()), spilled};
  }

  // Code for the last part, and for all before it.
  void eachDepth(function_ref<void(const Depth &)> body) {
    Value last = e.index(depths.count - 1);
    auto partOf = [&](Value i, bool isLast) -> Depth {
      Value low = e.beginOf(depths, i);
      return {low, e.plus(low, e.sizeOf(depths, i, low)), isLast};
    };
    if (depths.count > 1)
      e.loop(e.index(0), last, 1, [&](Value i) { body(partOf(i, false)); });
    body(partOf(last, true));
  }

  void take(PairingRows &left, Value tile, Value slot) {
    Value first = e.beginOf(tiles, tile);
    left.take(first, e.sizeOf(tiles, tile, first), slot);
  }

  void slabsBetween(Value low, Value high) {
    Slab slab = slabOf(slabs.most());
    e.loop(low, high, 1, [&](Value i) {
      Value first = e.beginOf(slabs, i);
      Value count = e.sizeOf(slabs, i, first);
      e.loop(e.index(0), count, 1,
             [&](Value i) { take(slab.left, e.plus(first, i), i); });
      eachDepth([&](const Depth &part) {
        e.loop(panels, [&](Value panel) {
          e.loop(e.index(0), count, 1, [&](Value i) {
            tile({slab, e.plus(first, i), i}, panel, part);
          });
        });
      });
    });
  }

  // All rows, before all products.
  void together() {
    Slab slab = slabOf(tiles.count);
    e.parallel(tiles.count, /*coarse=*/false, [&](Value low, Value high) {
      e.loop(low, high, 1, [&](Value t) { take(slab.left, t, t); });
    });
    e.parallel(panels * tiles.count, /*coarse=*/false,
               [&](Value low, Value high) {
                 eachDepth([&](const Depth &part) {
                   e.loop(low, high, 1, [&](Value i) {
                     Value t = e.modulo(i, tiles.count);
                     tile({slab, t, t}, e.dividedBy(i, tiles.count), part);
                   });
                 });
               });
  }

  // A panel at a time. Each thread has all rows for itself, which takes less
  // than to fetch them from each other.
  void panelByPanel(PairingPanels &made) {
    e.parallel(panels, /*coarse=*/true, [&](Value low, Value high) {
      Slab slab = slabOf(tiles.count);
      slab.packed = e.buffer(
          {1, depth + PairingScheme::trailerRows, PairingScheme::panelWidth},
          e.getF32Type());
      e.loop(e.index(0), e.index(tiles.count), 1,
             [&](Value t) { take(slab.left, t, t); });
      e.loop(low, high, 1, [&](Value panel) {
        made.pack(panel, slab.packed, e.index(0));
        eachDepth([&](const Depth &part) {
          e.loop(e.index(0), e.index(tiles.count), 1,
                 [&](Value t) { tile({slab, t, t}, panel, part); });
        });
      });
    });
  }

  // Returns `pack`, which may be null, if its panels are packed here.
  kernel::PackOp run(kernel::PackOp pack) {
    std::optional<PairingPanels> made;
    if (pack)
      made.emplace(e, pack, target);
    double cycles = cyclesOf(*this) + (made ? made->cycles() : 0);
    e.share(cycles, share != kernel::PairingShare::none);
    if (packInside) {
      panelByPanel(*made);
      return pack;
    }
    if (share == kernel::PairingShare::tiles)
      together();
    else
      e.parallel(slabs.count, /*coarse=*/true,
                 [&](Value low, Value high) { slabsBetween(low, high); });
    return {};
  }
};

} // namespace

kernel::PackOp emitPairing(Emitter &e, kernel::MatmulOp op,
                           const kernel::Target &target) {
  kernel::MatmulOp joined = joinBatches(e, op);
  LeftSide rows = {joined.getA(), e.shape(joined.getA()).back()};
  PairingEmitter product(e, joined, std::move(rows), joined.getB(), target);
  kernel::PackOp pack = product.run(packBefore(joined));
  if (joined != op)
    joined->erase();
  return pack;
}

void emitPairing(Emitter &e, kernel::ConvolutionOp op,
                 const kernel::Target &target) {
  LeftSide rows = windowRows(e, op, target.lanes(e.getF32Type()));
  PairingEmitter(e, op, std::move(rows), op.getFilter(), target).run(nullptr);
}

} // namespace weir::cpu
