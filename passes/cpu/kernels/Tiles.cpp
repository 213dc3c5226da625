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
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::cpu {
namespace {

struct TileEmitter : TileProduct {
  using TileProduct::TileProduct;

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
    eachShare(/*images=*/1,
              [&](Value low, Value high, Value firstPanel, Value endPanel) {
                slabsBetween(low, high, firstPanel, endPanel);
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

} // namespace weir::cpu
