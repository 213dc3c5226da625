// Matrix products by the tiles of Intel AMX, and of bytes or bf16 by the dot
// products of AVX-512 VNNI and BF16.
//
// A product of f32 is made of products of bf16: each operand is the sum of up
// to three parts of 8 bits of its significand, and of the nine products of
// parts the six largest have all bits that f32 keeps. Weights come in parts; of
// A a slab of rows is taken apart before its products. Tiles flush what is
// denormal, and parts of what is infinite or near it are not its parts: blocks
// of A with an element outside of the kernel's range are multiplied in vector
// registers instead, by weights put together again.
//
// The loops, from outside: slabs of rows (so that their parts stay in L2),
// blocks of the depth (so that a panel does), panels of 32 columns, blocks of
// some 32 rows: four tiles of sums. While a block is multiplied, what the one
// before it has summed goes through the epilogue in vector registers. Threads
// share slabs, or panels where rows are few, each with the parts of all rows.

#include "passes/cpu/kernels/Tiles.h"
#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
namespace {

struct TileEmitter : TileProduct {
  const kernel::Target &target;
  int64_t threads; // most that work at once
  EvenSplit slabs; // of blocks of rows

  TileEmitter(Emitter &e, kernel::MatmulOp op, const kernel::Target &target)
      : TileProduct(e, op, target,
                    e.element(op.getB()).isInteger(8)
                        ? target.dots && !target.byteTiles
                        : target.pairDots && !target.tiles),
        target(target), threads(slotsOf(op)), slabs(slabsFor()) {}

  // The parts of a slab and the panel that they meet are half of L2. Threads
  // have equally many, unless they would be done with a panel before the next
  // one has come.
  EvenSplit slabsFor() const {
    EvenSplit made(blocks / grains,
                   std::max<int64_t>(1, target.l2 / 2 / blockBytes() - 1));
    int64_t even = llvm::alignTo(made.count, threads);
    if (grains == 1 && even > made.count && even * fewestBlocks() <= blocks)
      made.count = even, made.size = blocks / even, made.larger = blocks % even;
    return made;
  }

  // That take as long as the next panel, unless L2 has all of them.
  int64_t fewestBlocks() const {
    bool stay = panels * steps * parts * 2048 <= target.l2 / 2;
    return dots ? 4 : stay ? 1 : 2;
  }

  int64_t blockBytes() const {
    return stepsABlock * parts * blockRows() * stepDepth * (bytes ? 1 : 2);
  }
  int64_t blocksASlab() const { return slabs.size + (slabs.larger != 0); }

  // A tile's product takes 16 cycles, its loads as long again.
  double nanoseconds() const {
    double products = double(rows) * double(columns) * double(depth);
    return std::max(productTime(products, half) * (parts == 3 ? 0.7 : 0.4),
                    movingTime(ShapedType::getNumElements(e.shape(b)) *
                               Emitter::elementBytes(b)));
  }

  Value allocate(ArrayRef<int64_t> shape, Type element) {
    return e.create<memref::AllocOp>(MemRefType::get(shape, element),
                                     e.getI64IntegerAttr(64));
  }

  void allocateParts() {
    int64_t blocks = blocksASlab();
    split = allocate({blocks, stepsABlock, parts, tall, height, stepDepth},
                     e.element(b));
    fits = allocate({blocks}, e.getI32Type());
    if (dots && bytes)
      least = allocate({blocks}, e.getI32Type());
    // Between blocks of the depth all sums wait, else those of one block, while
    // the next is made.
    bool all = depthBlocks > 1;
    sums = allocate({all    ? blocks
                     : dots ? 1
                            : 2,
                     all ? panels : 1, side, side},
                    sumType);
  }

  Value firstBlock(Value slab) {
    return e.plus(e.times(slab, slabs.size),
                  e.smaller(slab, e.index(slabs.larger)));
  }

  Value blocksOf(Value slab, Value first) {
    if (slabs.larger == 0)
      return e.index(slabs.size);
    return e.create<arith::SubIOp>(firstBlock(e.plus(slab, 1)), first);
  }

  // A block of rows of the slab that begins with block `first`, and a panel.
  struct Unit {
    Value first, block, panel, slot;
  };

  // So much of a row of the result, in columns of which `valid` are inside.
  void atRow(const Unit &unit, Value row, int64_t valid,
             function_ref<void(const Tile &)> body) {
    auto position = [&](Value, Value) { return place(row); };
    int64_t lanes = std::min(side, target.lanes(sumType));
    body({1, 1, valid, lanes, position, e.times(unit.panel, side)});
  }

  Value firstRow(const Unit &unit) {
    return e.times(e.plus(unit.first, unit.block), blockRows());
  }

  // The sums of some rows of a block through the epilogue.
  void finish(const Unit &unit, Value low, Value high, int64_t valid) {
    Value before = std::exchange(slot, unit.slot);
    Emitter::Values at = sumsOf(unit.block, unit.panel);
    slot = before;
    Value base = firstRow(unit);
    e.loop(low, high, 1, [&](Value i) {
      atRow(unit, e.plus(base, i), valid, [&](const Tile &shape) {
        Emitter::Values made;
        for (int64_t v = 0; v < shape.vectors(); ++v)
          made.push_back(e.load(sums,
                                {at[0], at[1], i, e.index(v * shape.lanes)},
                                shape.lanes, shape.lanes));
        finishTile(e, op, shape, made);
      });
    });
  }

  void finish(const Unit &unit, Value low, Value high) {
    int64_t rest = columns % side;
    if (!rest || panels == 1)
      return finish(unit, low, high, rest ? rest : side);
    Value whole = e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, unit.panel,
                                          e.index(panels - 1));
    e.ifElse(
        whole, [&] { finish(unit, low, high, side); },
        [&] { finish(unit, low, high, rest); });
  }

  void finishAll(const Unit &unit) {
    finish(unit, e.index(0), validRows(firstRow(unit)));
  }

  void fetchResults(const Unit &unit, Value low, Value high) {
    e.loop(low, high, 1, [&](Value i) {
      atRow(unit, e.plus(firstRow(unit), i), std::min(side, columns),
            [&](const Tile &shape) {
              prefetchTile(e, op, shape, /*finishes=*/true);
            });
    });
  }

  // What follows this panel: the next one, or after the last the first, at the
  // next block of the depth.
  Ahead aheadOf(Value panel, Value firstPanel, Value endPanel, const Depth &d,
                Value turn) {
    Value next = e.plus(panel, 1);
    Value wraps =
        e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, next, endPanel);
    auto select = [&](Value then, Value otherwise) -> Value {
      return e.create<arith::SelectOp>(wraps, then, otherwise);
    };
    Value step = d.ends ? e.index(0) : e.plus(d.first, d.count);
    return {select(firstPanel, next), select(step, d.first), turn, slabs.size};
  }

  // One block of rows against one panel. Of the block before it `before` rows
  // are still to be finished, or none.
  void multiplyBlock(const Unit &unit, const Depth &d, const Ahead &ahead,
                     const Unit &previous, Value before) {
    slot = unit.slot;
    Value fit = e.create<arith::CmpIOp>(
        arith::CmpIPredicate::ne,
        e.create<memref::LoadOp>(fits, ValueRange{unit.block}), word(0));
    e.ifElse(
        fit,
        [&] {
          if (dots)
            return byDots(unit.block, unit.panel, d);
          byTiles(unit.block, unit.panel, d, ahead, [&](Value low, Value high) {
            if (!d.ends)
              return;
            finish(previous, low, e.smaller(high, before));
            fetchResults(unit, low, high);
          });
        },
        [&] {
          if (!dots && d.ends)
            finish(previous, e.index(0), before);
          byVectors(unit.first, unit.block, unit.panel, d);
        });
    if (dots && d.ends)
      finishAll(unit);
  }

  void eachDepth(llvm::function_ref<void(const Depth &)> body) {
    if (depthBlocks == 1)
      return body({e.index(0), steps, true, true});
    int64_t last = (depthBlocks - 1) * stepsABlock;
    body({e.index(0), stepsABlock, true, false});
    e.loop(e.index(stepsABlock), e.index(last), stepsABlock,
           [&](Value step) { body({step, stepsABlock, false, false}); });
    body({e.index(last), steps - last, false, true});
  }

  // The blocks from `first` on against some panels.
  void slab(Value first, Value count, Value firstPanel, Value endPanel) {
    auto unitOf = [&](Value block, Value panel) -> Unit {
      if (dots || depthBlocks > 1)
        return {first, block, panel, e.index(0)};
      Value turn = e.plus(e.create<arith::MulIOp>(panel, count), block);
      return {first, block, panel, e.modulo(turn, 2)};
    };
    auto equal = [&](Value a, Value b) -> Value {
      return e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b);
    };
    auto select = [&](Value condition, Value then, Value otherwise) -> Value {
      return e.create<arith::SelectOp>(condition, then, otherwise);
    };
    Value lastBlock = e.plus(count, -1);
    eachDepth([&](const Depth &d) {
      e.loop(e.index(0), count, 1,
             [&](Value block) { splitBlock(first, block, d); });
      e.loop(firstPanel, endPanel, 1, [&](Value panel) {
        e.loop(e.index(0), count, 1, [&](Value block) {
          Unit unit = unitOf(block, panel);
          Value turns = equal(block, e.index(0));
          Value begins =
              e.create<arith::AndIOp>(turns, equal(panel, firstPanel));
          // Where there is none before, this one, of which nothing is finished.
          Unit previous = unitOf(
              select(turns, lastBlock, e.plus(block, -1)),
              select(begins, panel, select(turns, e.plus(panel, -1), panel)));
          Value before =
              select(begins, e.index(0), validRows(firstRow(previous)));
          multiplyBlock(unit, d, aheadOf(panel, firstPanel, endPanel, d, block),
                        previous, before);
        });
      });
    });
    if (!dots)
      finishAll(unitOf(lastBlock, e.plus(endPanel, -1)));
  }

  void configured(function_ref<void()> body) {
    if (!dots)
      registers.configure(height);
    body();
    if (!dots)
      registers.release();
  }

  void slabsBetween(Value low, Value high, Value firstPanel, Value endPanel,
                    Value firstBlockOfAll) {
    e.loop(low, high, 1, [&](Value at) {
      Value first = firstBlock(at);
      Value count = blocksOf(at, first);
      slab(firstBlockOfAll ? e.plus(firstBlockOfAll, first) : first, count,
           firstPanel, endPanel);
    });
  }

  // Whether threads share panels, each with the parts of all rows: of few rows,
  // which take no longer than their weights.
  bool sharesPanels() const {
    return grains == 1 && panels >= threads && slabs.count % threads != 0 &&
           slabs.count < fewestBlocks() * threads;
  }

  void run() {
    e.share(nanoseconds());
    Value zero = e.index(0), end = e.index(panels);
    auto part = [&](function_ref<void()> body) {
      allocateParts();
      configured(body);
    };
    if (grains > 1)
      return e.rowParts(*RowBlocks::of(op), [&](Value low, Value high) {
        part([&] {
          e.loop(low, high, 1, [&](Value grain) {
            slabsBetween(zero, e.index(slabs.count), zero, end,
                         e.times(grain, blocks / grains));
          });
        });
      });
    if (e.isShared() && sharesPanels())
      return e.parts(panels, /*few=*/true, [&](Value low, Value high) {
        part([&] {
          slabsBetween(zero, e.index(slabs.count), low, high, nullptr);
        });
      });
    e.parts(slabs.count, /*few=*/true, [&](Value low, Value high) {
      part([&] { slabsBetween(low, high, zero, end, nullptr); });
    });
  }
};

} // namespace

void emitTiles(Emitter &e, kernel::MatmulOp op, const kernel::Target &target) {
  kernel::MatmulOp joined = joinBatches(e, op);
  TileEmitter(e, joined, target).run();
  if (joined != op)
    joined->erase();
}

} // namespace weir
