// Matrix products by tile registers; of bytes or bf16 also by dot products of
// vector registers.
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
// share slabs, or panels where one slab has all rows.

#include "passes/cpu/kernels/Tiles.h"
#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir {
namespace {

struct TileEmitter : TileProduct {
  EvenSplit slabs; // of blocks of rows
  // Whether threads share panels, each with the parts of all rows, or slabs.
  bool sharesPanels = false;

  TileEmitter(Emitter &e, kernel::MatmulOp op, const kernel::Target &target)
      : TileProduct(e, op, target,
                    e.element(op.getB()).isInteger(8)
                        ? target.dots && !target.byteTiles
                        : target.pairDots && !target.tiles),
        slabs(blocks, maxBlocks()) {
    if (int64_t threads = slotsOf(op); threads > 1)
      shareAmong(threads);
  }

  // The parts of a slab, and the panel by which they are multiplied, take half
  // of L2.
  int64_t maxBlocks() const {
    int64_t blockBytes =
        stepsABlock * parts * blockRows() * stepDepth * (bytes ? 1 : 2);
    return std::max<int64_t>(1, target.l2 / 2 / blockBytes - 1);
  }

  // Threads have equally many slabs, unless they would be done with a panel
  // before the next one has come. Where one slab has all rows, a panel from
  // beyond L2 rather comes to one thread. None is to be idle.
  void shareAmong(int64_t threads) {
    int64_t even = llvm::alignTo(slabs.count, threads);
    bool isWorth = even * minBlocks() <= blocks;
    sharesPanels = slabs.count == 1 && panels >= 2 * threads &&
                   (!panelsStay() || !isWorth);
    if (sharesPanels)
      return;
    if (!isWorth) {
      even = std::max(slabs.count, std::min(blocks, threads));
      sharesPanels = slabs.count < threads && panels > even;
    }
    if (!sharesPanels)
      slabs.setCount(blocks, even);
  }

  void allocateParts() {
    int64_t most = slabs.most();
    split = e.buffer({most, stepsABlock, parts, tall, height, stepDepth},
                     bytes ? e.element(b) : Type(e.getBF16Type()));
    fits = e.buffer({most}, e.getI32Type());
    if (dots && bytes)
      least = e.buffer({most}, e.getI32Type());
    allocateScratch(most);
  }

  void slabsBetween(Value low, Value high, Value firstPanel, Value endPanel) {
    allocateParts();
    configured([&] {
      e.loop(low, high, 1, [&](Value slab) {
        Value first = e.beginOf(slabs, slab);
        Panels panels = {firstPanel, endPanel, e.sizeOf(slabs, slab, first),
                         slabs.size};
        eachDepth([&](const Depth &d) {
          e.loop(e.index(0), panels.count, 1,
                 [&](Value block) { splitBlock(first, block, d); });
          multiply(first, panels, d);
        });
        finishLast(first, panels);
      });
    });
  }

  void run() {
    e.share(timeOf(double(rows) * double(columns) * double(depth)));
    Value zero = e.index(0), end = e.index(panels);
    if (e.isShared() && sharesPanels)
      return e.parallel(panels, /*coarse=*/true, [&](Value low, Value high) {
        slabsBetween(zero, e.index(slabs.count), low, high);
      });
    e.parallel(slabs.count, /*coarse=*/true, [&](Value low, Value high) {
      slabsBetween(low, high, zero, end);
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
