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
// 32 rows: four tiles of sums. Threads share slabs, or the blocks of few: of
// one, say, or of three for two threads.

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
      : TileProduct(e, op,
                    e.element(op.getB()).isInteger(8)
                        ? target.dots && !target.byteTiles
                        : target.pairDots && !target.tiles),
        target(target), threads(slotsOf(op)), slabs(slabsFor()) {}

  // The parts of a slab and the panel that they meet are half of L2.
  EvenSplit slabsFor() const {
    EvenSplit made(blocks,
                   std::max<int64_t>(1, target.l2 / 2 / blockBytes() - 1));
    // Threads have equally many, unless these would be done with a panel before
    // the next one has come.
    constexpr int64_t fewest = 4;
    int64_t even = llvm::alignTo(made.count, threads);
    if (made.count > 1 && even * fewest <= blocks)
      made.count = even, made.size = blocks / even, made.larger = blocks % even;
    return made;
  }

  int64_t blockBytes() const { return stepsABlock * parts * 2 * 1024; }
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

  void allocateParts(int64_t blocks) {
    split = allocate({blocks, stepsABlock, parts, 2, half, stepDepth},
                     e.element(b));
    fits = allocate({blocks}, e.getI32Type());
    if (dots && bytes)
      least = allocate({blocks}, e.getI32Type());
  }

  // Between blocks of the depth all sums wait, else those of one block.
  void allocateSums(int64_t blocks) {
    bool all = depthBlocks > 1;
    sums = allocate({all ? blocks : 1, all ? panels : 1, side, side}, sumType);
  }

  Value firstBlock(Value slab) {
    return e.plus(e.times(slab, slabs.size),
                  e.smaller(slab, e.index(slabs.larger)));
  }

  Value blocksOf(Value slab, Value first) {
    if (slabs.count == 1)
      return e.index(blocks);
    if (slabs.larger == 0)
      return e.index(slabs.size);
    return e.create<arith::SubIOp>(firstBlock(e.plus(slab, 1)), first);
  }

  Value slabOf(Value block) {
    if (slabs.count == 1)
      return e.index(0);
    Value larger = e.index(slabs.larger);
    Value past = e.create<arith::SubIOp>(e.larger(block, larger), larger);
    return e.larger(e.dividedBy(block, slabs.size + 1),
                    e.dividedBy(past, slabs.size));
  }

  // The sums of one block through the epilogue.
  void finish(Value first, Value block, Value panel, int64_t valid) {
    Value firstRow = e.times(e.plus(first, block), side);
    Emitter::Values at = sumsOf(block, panel);
    int64_t lanes = std::min(side, target.lanes(sumType));
    e.loop(e.index(0), validRows(firstRow), 1, [&](Value i) {
      auto position = [&](Value, Value) { return place(e.plus(firstRow, i)); };
      Tile shape{1, 1, valid, lanes, position, e.times(panel, side)};
      Emitter::Values made;
      for (int64_t v = 0; v < shape.vectors(); ++v)
        made.push_back(
            e.load(sums, {at[0], at[1], i, e.index(v * lanes)}, lanes, lanes));
      finishTile(e, op, shape, made);
    });
  }

  // What follows this panel: the next one, or after the last the first, at the
  // next block of the depth.
  Ahead aheadOf(Value panel, const Depth &d, Value turn) {
    Value wraps = e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, panel,
                                          e.index(panels - 1));
    auto select = [&](Value then, Value otherwise) -> Value {
      return e.create<arith::SelectOp>(wraps, then, otherwise);
    };
    Value next = d.ends ? e.index(0) : e.plus(d.first, d.count);
    return {select(e.index(0), e.plus(panel, 1)), select(next, d.first), turn,
            slabs.size};
  }

  // One block of rows, the `turn`th of a slab, against one panel.
  void multiplyBlock(Value first, Value block, Value panel, const Depth &d,
                     Value turn) {
    Value fit = e.create<arith::CmpIOp>(
        arith::CmpIPredicate::ne,
        e.create<memref::LoadOp>(fits, ValueRange{block}), word(0));
    e.ifElse(
        fit,
        [&] {
          if (dots)
            byDots(block, panel, d);
          else
            byTiles(block, panel, d, aheadOf(panel, d, turn));
        },
        [&] { byVectors(first, block, panel, d); });
    if (!d.ends)
      return;
    int64_t rest = columns % side;
    if (!rest || panels == 1)
      return finish(first, block, panel, rest ? rest : side);
    Value whole = e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, panel,
                                          e.index(panels - 1));
    e.ifElse(
        whole, [&] { finish(first, block, panel, side); },
        [&] { finish(first, block, panel, rest); });
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

  void slab(Value slab) {
    Value first = firstBlock(slab);
    Value count = blocksOf(slab, first);
    eachDepth([&](const Depth &d) {
      e.loop(e.index(0), count, 1,
             [&](Value block) { splitBlock(first, block, d); });
      e.loop(panels, [&](Value panel) {
        e.loop(e.index(0), count, 1, [&](Value block) {
          multiplyBlock(first, block, panel, d, block);
        });
      });
    });
  }

  void configured(function_ref<void()> body) {
    if (!dots)
      registers.configure();
    body();
    if (!dots)
      registers.release();
  }

  void slabsBetween(Value low, Value high) {
    allocateParts(blocksASlab());
    allocateSums(blocksASlab());
    configured([&] { e.loop(low, high, 1, [&](Value at) { slab(at); }); });
  }

  // Threads take all slabs apart together, then share their blocks: slab after
  // slab, so that the parts of one stay in L2 while all panels meet them.
  void together() {
    allocateParts(blocks);
    if (depthBlocks > 1)
      allocateSums(blocks);
    Value zero = e.index(0);
    eachDepth([&](const Depth &d) {
      e.parts(blocks, /*few=*/false, [&](Value low, Value high) {
        e.loop(low, high, 1, [&](Value block) { splitBlock(zero, block, d); });
      });
      e.parts(panels * blocks, /*few=*/false, [&](Value low, Value high) {
        if (depthBlocks == 1)
          allocateSums(blocks);
        configured([&] {
          e.loop(low, high, 1, [&](Value unit) {
            Value slab = slabOf(e.dividedBy(unit, panels));
            Value first = firstBlock(slab);
            Value in = e.create<arith::SubIOp>(unit, e.times(first, panels));
            Value count = blocksOf(slab, first);
            Value panel = e.create<arith::DivUIOp>(in, count);
            Value turn = e.create<arith::RemUIOp>(in, count);
            multiplyBlock(zero, e.plus(first, turn), panel, d, turn);
          });
        });
      });
    });
  }

  void run() {
    e.share(nanoseconds());
    // Where a thread would have a slab more than others and few in all, all
    // rows come apart before the first product, if their parts are not far
    // larger than L2. The depth's blocks then are no loop.
    constexpr int64_t few = 4, most = 16 << 20;
    bool uneven = slabs.count % threads != 0 && slabs.count < few * threads;
    if (e.isShared() && uneven && depthBlocks <= mostDepthsShared &&
        blocks * blockBytes() * depthBlocks <= most)
      return together();
    e.parts(slabs.count, /*few=*/true,
            [&](Value low, Value high) { slabsBetween(low, high); });
  }
};

} // namespace

void emitTiles(Emitter &e, kernel::MatmulOp op, const kernel::Target &target) {
  TileEmitter(e, op, target).run();
}

} // namespace weir
