// A kernel's own buffers become places in one block that the caller gives.

#include "dialects/kernel/Sharing.h"
#include "passes/plan/Passes.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Arena.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-plan-scratch"

using namespace mlir;

namespace weir::plan {
#define GEN_PASS_DEF_PLANSCRATCH
#include "passes/plan/Passes.h.inc"

namespace {

struct PlanScratch : impl::PlanScratchBase<PlanScratch> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel))
      return;
    kernel.walk([](memref::DeallocOp op) { op.erase(); });
    SmallVector<memref::AllocOp> allocs;
    SmallVector<plan::Lifetime> lifetimes;
    BufferViewFlowAnalysis aliases(kernel);
    for (auto [index, op] : llvm::enumerate(kernel.getBody().front()))
      momentOf[&op] = index;
    SmallVector<Private> privates;
    for (auto parts : kernel.getBody().front().getOps<kernel::ParallelOp>())
      takePrivate(parts, privates, lifetimes);
    WalkResult walked = kernel.walk([&](memref::AllocOp alloc) {
      MemRefType type = alloc.getType();
      if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
        alloc.emitError("buffer without a fixed size cannot be placed");
        return WalkResult::interrupt();
      }
      if (alloc->getParentOfType<kernel::ParallelOp>())
        return WalkResult::advance();
      allocs.push_back(alloc);
      lifetimes.push_back(lifetimeOf(alloc, aliases));
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    if (lifetimes.empty())
      return;

    int64_t bytes = plan::placeInArena(lifetimes);
    LLVM_DEBUG(llvm::dbgs()
               << kernel.getSymName() << ": " << bytes
               << " bytes of scratch in " << lifetimes.size() << " buffers\n");
    OpBuilder b(&getContext());
    attrs::scratchBytes.set(kernel, bytes);
    unsigned index = kernel.getNumArguments();
    kernel.insertArgument(
        index, MemRefType::get({bytes}, b.getI8Type()),
        b.getDictionaryAttr(b.getNamedAttr("llvm.noalias", b.getUnitAttr())),
        kernel.getLoc());
    Value scratch = kernel.getArgument(index);
    ArrayRef<plan::Lifetime> blocks = lifetimes;
    for (auto [part, lifetime] : llvm::zip(privates, blocks))
      assign(part, lifetime.offset, scratch);
    for (auto [alloc, lifetime] :
         llvm::zip_equal(allocs, blocks.drop_front(privates.size()))) {
      b.setInsertionPointToStart(&kernel.getBody().front());
      Location loc = alloc.getLoc();
      assign(b, alloc, scratch,
             b.create<arith::ConstantIndexOp>(loc, lifetime.offset));
    }
  }

private:
  /// Parts that run at once with buffers of their own: a block for each slot.
  struct Private {
    kernel::ParallelOp parts;
    int64_t bytes = 0; // of one slot
    SmallVector<memref::AllocOp> allocs = {};
    SmallVector<int64_t> offsets = {};
  };

  /// Most bytes for the slots of one kernel but its first.
  static constexpr int64_t mostForSlots = 64 << 20;

  static int64_t bytesOf(memref::AllocOp alloc) {
    return alloc.getType().getNumElements() *
           llvm::divideCeil(alloc.getType().getElementTypeBitWidth(), 8);
  }

  void takePrivate(kernel::ParallelOp parts, SmallVector<Private> &privates,
                   SmallVector<plan::Lifetime> &lifetimes) {
    Private found = {parts};
    parts.walk([&](memref::AllocOp alloc) {
      if (!alloc.getType().hasStaticShape())
        return;
      found.allocs.push_back(alloc);
      found.offsets.push_back(found.bytes);
      found.bytes += llvm::alignTo(bytesOf(alloc), plan::alignment);
    });
    if (!found.bytes)
      return;
    int64_t slots =
        std::clamp<int64_t>(mostForSlots / found.bytes, 1, slotsOf(parts));
    parts.setSlots(slots);
    int64_t moment = momentOf.lookup(parts);
    lifetimes.push_back({slots * found.bytes, moment, moment});
    privates.push_back(found);
  }

  static void assign(OpBuilder &b, memref::AllocOp alloc, Value scratch,
                     Value offset) {
    // An i1 takes a byte in memory, which memref.view would not grant.
    Value view = b.create<memref::ViewOp>(alloc.getLoc(), alloc.getType(),
                                          scratch, offset, ValueRange());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }

  static void assign(Private &part, int64_t block, Value scratch) {
    Location loc = part.parts.getLoc();
    for (auto [alloc, offset] : llvm::zip_equal(part.allocs, part.offsets)) {
      OpBuilder b(alloc);
      Value bytes = b.create<arith::ConstantIndexOp>(loc, part.bytes);
      Value start = b.create<arith::MulIOp>(loc, part.parts.getSlot(), bytes);
      Value fixed = b.create<arith::ConstantIndexOp>(loc, block + offset);
      assign(b, alloc, scratch, b.create<arith::AddIOp>(loc, start, fixed));
    }
  }

  /// From the first to the last op of the kernel's body that uses the buffer or
  /// an alias of it.
  plan::Lifetime lifetimeOf(memref::AllocOp alloc,
                            const BufferViewFlowAnalysis &aliases) {
    Block &body = getOperation().getBody().front();
    plan::Lifetime lifetime;
    lifetime.bytes = bytesOf(alloc);
    lifetime.first = momentOf.size();
    SmallVector<Value> work{alloc.getResult()};
    while (!work.empty())
      for (Value alias : aliases.resolve(work.pop_back_val()))
        for (Operation *user : alias.getUsers()) {
          // A view that upstream's analysis does not know.
          if (auto transpose = dyn_cast<memref::TransposeOp>(user))
            work.push_back(transpose.getResult());
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
} // namespace weir::plan
