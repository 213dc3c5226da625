// A kernel's own buffers become places in one block that the caller gives.

#include "passes/cpu/Passes.h"

#include "dialects/plan/Arena.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_PLANSCRATCH
#include "passes/cpu/Passes.h.inc"

namespace {

struct PlanScratch : impl::PlanScratchBase<PlanScratch> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr("weir.kernel"))
      return;
    kernel.walk([](memref::DeallocOp op) { op.erase(); });
    SmallVector<memref::AllocOp> allocs;
    SmallVector<plan::Lifetime> lifetimes;
    BufferViewFlowAnalysis aliases(kernel);
    for (auto [index, op] : llvm::enumerate(kernel.getBody().front()))
      momentOf[&op] = index;
    WalkResult walked = kernel.walk([&](memref::AllocOp alloc) {
      MemRefType type = alloc.getType();
      if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
        alloc.emitError("buffer without a fixed size cannot be placed");
        return WalkResult::interrupt();
      }
      allocs.push_back(alloc);
      lifetimes.push_back(lifetimeOf(alloc, aliases));
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    if (allocs.empty())
      return;

    int64_t bytes = plan::placeInArena(lifetimes);
    OpBuilder b(&getContext());
    kernel->setAttr("weir.scratch_bytes", b.getI64IntegerAttr(bytes));
    unsigned index = kernel.getNumArguments();
    kernel.insertArgument(
        index, MemRefType::get({bytes}, b.getI8Type()),
        b.getDictionaryAttr(b.getNamedAttr("llvm.noalias", b.getUnitAttr())),
        kernel.getLoc());
    Value scratch = kernel.getArgument(index);
    for (auto [alloc, lifetime] : llvm::zip_equal(allocs, lifetimes)) {
      b.setInsertionPointToStart(&kernel.getBody().front());
      Location loc = alloc.getLoc();
      Value offset = b.create<arith::ConstantIndexOp>(loc, lifetime.offset);
      // An i1 takes a byte in memory, which memref.view would not grant.
      Value place = b.create<memref::ViewOp>(loc, alloc.getType(), scratch,
                                             offset, ValueRange());
      alloc.replaceAllUsesWith(place);
      alloc.erase();
    }
  }

private:
  /// From the first to the last op of the kernel's body that uses the buffer or
  /// an alias of it.
  plan::Lifetime lifetimeOf(memref::AllocOp alloc,
                            const BufferViewFlowAnalysis &aliases) {
    Block &body = getOperation().getBody().front();
    plan::Lifetime lifetime;
    lifetime.bytes =
        alloc.getType().getNumElements() *
        llvm::divideCeil(alloc.getType().getElementTypeBitWidth(), 8);
    lifetime.first = momentOf.size();
    for (Value alias : aliases.resolve(alloc.getResult()))
      for (Operation *user : alias.getUsers()) {
        int64_t moment = momentOf.lookup(body.findAncestorOpInBlock(*user));
        lifetime.first = std::min(lifetime.first, moment);
        lifetime.last = std::max(lifetime.last, moment);
      }
    lifetime.first = std::min(lifetime.first, lifetime.last);
    return lifetime;
  }

  llvm::DenseMap<Operation *, int64_t> momentOf;
};

} // namespace
} // namespace weir
