// Turns loops over independent rows into work items, which threads share.

#include "dialects/weir/Attributes.h"
#include "passes/cpu/Passes.h"

#include "passes/cpu/kernels/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_SHAREROWS
#include "passes/cpu/Passes.h.inc"

namespace {

struct ShareRows : impl::ShareRowsBase<ShareRows> {
  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    Block &body = getOperation().getBody().front();
    for (auto loop : llvm::make_early_inc_range(body.getOps<scf::ForOp>()))
      if (auto cycles = attrs::rowsApart.of(loop))
        share(loop, cycles.getValueAsDouble());
  }

private:
  /// What only the loop uses: each part has its own.
  static SmallVector<memref::AllocOp> scratchOf(scf::ForOp loop) {
    SmallVector<memref::AllocOp> scratch;
    for (auto alloc : loop->getBlock()->getOps<memref::AllocOp>())
      if (llvm::all_of(alloc->getUsers(), [&](Operation *user) {
            return isa<memref::DeallocOp>(user) || loop->isAncestor(user);
          }))
        scratch.push_back(alloc);
    return scratch;
  }

  static void share(scf::ForOp loop, double cycles) {
    std::optional<int64_t> low = getConstantIntValue(loop.getLowerBound()),
                           high = getConstantIntValue(loop.getUpperBound()),
                           step = getConstantIntValue(loop.getStep());
    if (low != 0 || !high || step != 1 || loop.getNumResults() != 0)
      return;
    Emitter e(loop.getLoc(), loop);
    e.share(cycles);
    if (!e.isShared())
      return;
    SmallVector<memref::AllocOp> scratch = scratchOf(loop);
    e.parallel(*high, /*coarse=*/false, [&](Value first, Value end) {
      IRMapping mapping;
      for (memref::AllocOp alloc : scratch)
        e.clone(*alloc, mapping);
      e.loop(first, end, 1, [&](Value row) {
        mapping.map(loop.getInductionVar(), row);
        for (Operation &inner : loop.getBody()->without_terminator())
          e.clone(inner, mapping);
      });
    });
    loop.erase();
    for (memref::AllocOp alloc : scratch) {
      for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
        user->erase();
      alloc.erase();
    }
  }
};

} // namespace
} // namespace weir::cpu
