// Expands kernels on memrefs into loops over vector registers.

#include "passes/cpu/Passes.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/InPlace.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/packed/PackedMatmul.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_EMITKERNELS
#include "passes/cpu/Passes.h.inc"

namespace {

/// Nanoseconds of the loops that are no kernels; none where nobody knows. A
/// copy of what is then written in part is made in place, as a rule.
std::optional<double> timeOfLoops(Operation *function) {
  double total = 0;
  WalkResult result = function->walk([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op))
      return WalkResult::interrupt();
    if (auto loops = dyn_cast<linalg::LinalgOp>(op);
        loops && !isa<linalg::CopyOp>(op))
      total += nanoseconds(loops);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return total;
}

/// Whether the kernel's algorithm needs a schedule, and the op has none.
bool lacksSchedule(Operation *op) {
  auto out = cast<MemRefType>(op->getOperands().back().getType());
  if (out.getNumElements() == 0 || op->hasAttr("schedule"))
    return false;
  if (auto matmul = dyn_cast<kernel::MatmulOp>(op))
    return !matmul.isTiled() && !matmul.getPaired() && !matmul.hasColumnRuns();
  if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op))
    return !convolution.isTiled() && !convolution.isPaired();
  return isa<kernel::DepthwiseOp, kernel::PoolOp>(op);
}

/// Whether a vector of the sums is whole groups.
bool holdsGroups(kernel::DepthwiseOp op, const kernel::Target &target) {
  Type sum = op.getEpilogue().front().getArgument(0).getType();
  return target.lanes(sum) % op.channelsOfGroup() == 0;
}

struct EmitKernels : impl::EmitKernelsBase<EmitKernels> {
  void runOnOperation() override {
    kernel::Target target = kernel::Target::of(getOperation());
    std::optional<double> time = timeOfLoops(getOperation());
    SmallVector<Operation *> kernels;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<kernel::KernelDialect>(op->getDialect()) &&
          isa<DestinationStyleOpInterface>(op))
        kernels.push_back(op);
    });
    // While maps still tell it.
    SmallVector<int64_t> inPlace;
    if (auto function = dyn_cast<func::FuncOp>(getOperation()))
      inPlace = readByEpilogue(function, kernels);
    // Last to first, because a product may pack for itself what comes before.
    SmallPtrSet<Operation *, 4> doneInside;
    for (Operation *op : llvm::reverse(kernels)) {
      if (!cast<DestinationStyleOpInterface>(op).hasPureBufferSemantics()) {
        op->emitOpError("is not bufferized");
        return signalPassFailure();
      }
      if (lacksSchedule(op)) {
        op->emitOpError("has no schedule; weir-choose-schedules writes one");
        return signalPassFailure();
      }
      auto grouped = dyn_cast<kernel::DepthwiseOp>(op);
      if (grouped && !holdsGroups(grouped, target)) {
        op->emitOpError("has groups that are wider than vectors");
        return signalPassFailure();
      }
      auto out = cast<MemRefType>(op->getOperands().back().getType());
      if (out.getNumElements() != 0 && !doneInside.contains(op)) {
        Emitter e(op->getLoc(), op);
        auto matmul = dyn_cast<kernel::MatmulOp>(op);
        if (matmul && matmul.isTiled())
          emitTiles(e, matmul, target);
        else if (matmul && matmul.getPaired())
          doneInside.insert(emitPairs(e, matmul, target));
        else if (matmul && matmul.hasColumnRuns())
          emitColumnDots(e, matmul, target);
        else if (matmul) {
          auto schedule =
              cast<kernel::MatmulScheduleAttr>(matmul.getScheduleAttr());
          kernel::PackOp pack;
          if (schedule.getValue().packInside && !(pack = packBefore(matmul))) {
            matmul.emitOpError("packs inside, but no pack comes before it");
            return signalPassFailure();
          }
          doneInside.insert(pack);
          emitMatmul(e, matmul, target, pack);
        } else if (auto packed = dyn_cast<kernel::PackedMatmulOp>(op)) {
          emitPackedMatmul(e, packed, target);
        } else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op)) {
          if (convolution.isTiled())
            emitTileConvolution(e, convolution, target);
          else if (convolution.isPaired())
            emitPairs(e, convolution, target);
          else if (convolution.hasColumnRuns())
            emitWindowDots(e, convolution, target);
          else
            emitConvolution(e, convolution, target);
        } else if (auto depthwise = dyn_cast<kernel::DepthwiseOp>(op))
          emitDepthwise(e, depthwise, target);
        else if (auto pool = dyn_cast<kernel::PoolOp>(op))
          emitPool(e, pool, target);
        else if (auto pack = dyn_cast<kernel::PackOp>(op))
          pack.getPaired() ? emitPairedPack(e, pack, target)
                           : emitPack(e, pack, target);
        else if (auto pack = dyn_cast<kernel::PackFilterOp>(op))
          emitPackFilter(e, pack, target);
        else if (auto corner = dyn_cast<kernel::CornerOp>(op))
          emitCorner(e, corner, target);
        else if (auto transform = dyn_cast<kernel::TransformFilterOp>(op))
          emitTransformFilter(e, transform, target);
        else if (auto winograd = dyn_cast<kernel::WinogradOp>(op))
          doneInside.insert(emitWinograd(e, winograd, target));
        if (time)
          *time += e.nanoseconds();
      }
      auto buffer = op->getOperands().back().getDefiningOp<memref::AllocOp>();
      op->erase();
      if (buffer && buffer->use_empty())
        buffer->erase();
    }
    if (time && getOperation()->hasAttr("weir.kernel"))
      getOperation()->setAttr(
          "weir.nanoseconds",
          Builder(&getContext())
              .getI64IntegerAttr(static_cast<int64_t>(std::min(*time, 1e15))));
    // Neither may sums have waited in the output.
    if (!inPlace.empty() &&
        isOnlyWritten(getOperation()->getRegion(0).getArguments().back()))
      getOperation()->setAttr("weir.in_place",
                              DenseI64ArrayAttr::get(&getContext(), inPlace));
  }
};

} // namespace
} // namespace weir
