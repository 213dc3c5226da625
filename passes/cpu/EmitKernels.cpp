// Expands kernels on memrefs into loops over vector registers.

#include "dialects/kernel/attention/Attention.h"
#include "dialects/weir/Attributes.h"
#include "passes/cpu/Passes.h"

#include "dialects/kernel/schedule/ConvolutionShape.h"
#include "dialects/kernel/schedule/LineShape.h"
#include "dialects/kernel/schedule/MatmulShape.h"
#include "dialects/kernel/schedule/dot/DotShape.h"
#include "dialects/kernel/schedule/pairing/PairingShape.h"
#include "dialects/kernel/schedule/tiles/TilesShape.h"
#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/InPlace.h"
#include "passes/cpu/kernels/Kernels.h"
#include "passes/cpu/packed/PackedMatmul.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_EMITKERNELS
#include "passes/cpu/Passes.h.inc"

namespace {

/// Whether the kernel's algorithm needs a schedule, and the op has none.
bool lacksSchedule(Operation *op) {
  auto out = cast<MemRefType>(op->getOperands().back().getType());
  if (out.getNumElements() == 0 || op->hasAttr("schedule"))
    return false;
  return kernel::algorithmOf(op).has_value();
}

/// Whether the schedule of `op` tells it to pack its right side itself. A
/// schedule of a kernel without results is not verified.
bool packsInside(Operation *op) {
  if (!isa<kernel::MatmulOp>(op))
    return false;
  if (auto schedule =
          op->getAttrOfType<kernel::PairingScheduleAttr>("schedule"))
    return schedule.getValue().packInside;
  auto schedule = op->getAttrOfType<kernel::MatmulScheduleAttr>("schedule");
  return schedule && schedule.getValue().packInside;
}

/// Whether the target has the instructions that the layout of `op` is made for.
/// Dot products multiply no terms of split weights, and no windows of bf16.
bool hasInstructions(Operation *op, const kernel::Target &target) {
  auto layout = op->getAttrOfType<kernel::LayoutAttr>("layout");
  if (!layout)
    return true;
  if (layout.isVnni() || layout.isVnniRows())
    return target.dots;
  if (!layout.isAmx())
    return true;
  if (layout.getNumbers().empty())
    return target.byteTiles || target.dots;
  return target.tiles || (target.pairDots && layout.getSplit() == 1 &&
                          isa<kernel::MatmulOp>(op));
}

/// Whether a vector of the sums is whole groups.
bool holdsGroups(kernel::DepthwiseOp op, const kernel::Target &target) {
  Type sum = op.getEpilogue().front().getArgument(0).getType();
  return target.lanes(sum) % op.channelsOfGroup() == 0;
}

// These return the pack that a product does panel by panel itself, and that is
// not emitted then; null if there is none.

Operation *emit(Emitter &e, kernel::MatmulOp op, const kernel::Target &target) {
  using kernel::LayoutKind;
  switch (op.getLayout().getKind()) {
  case LayoutKind::AmxTiles:
  case LayoutKind::AmxPanels:
    emitTiles(e, op, target);
    return nullptr;
  case LayoutKind::Pairing:
    return emitPairing(e, op, target);
  case LayoutKind::KMajor:
    emitColumnDots(e, op, target);
    return nullptr;
  case LayoutKind::Plain:
  case LayoutKind::Panels:
  case LayoutKind::Vnni: {
    kernel::PackOp pack = packsInside(op) ? packBefore(op) : kernel::PackOp();
    emitMatmul(e, op, target, pack);
    return pack;
  }
  case LayoutKind::VnniRows:
  case LayoutKind::Winograd:
    break;
  }
  llvm_unreachable("the verifier refuses this layout");
}

void emit(Emitter &e, kernel::ConvolutionOp op, const kernel::Target &target) {
  using kernel::LayoutKind;
  switch (op.getLayout().getKind()) {
  case LayoutKind::AmxTiles:
  case LayoutKind::AmxPanels:
    return emitTileConvolution(e, op, target);
  case LayoutKind::Pairing:
    return emitPairing(e, op, target);
  case LayoutKind::KMajor:
    return emitWindowDots(e, op, target);
  case LayoutKind::Panels:
  case LayoutKind::Vnni:
    return emitConvolution(e, op, target);
  case LayoutKind::Plain:
  case LayoutKind::VnniRows:
  case LayoutKind::Winograd:
    break;
  }
  llvm_unreachable("the verifier refuses this layout");
}

/// Whether this pass compiles the layout of `op`. Plain filters and packs of
/// constants are gone by now, unless earlier passes did not run.
bool isCompiled(Operation *op) {
  if (isa<kernel::TransformFilterOp>(op))
    return true;
  if (auto pack = dyn_cast<kernel::PackOpInterface>(op)) {
    kernel::LayoutAttr layout = pack.getLayout();
    auto from = cast<ShapedType>(op->getOperand(0).getType());
    auto to = cast<ShapedType>(pack.getOut().getType());
    if (from.getElementType() != to.getElementType())
      return false;
    return ((layout.isPanels() || layout.isKMajor()) &&
            to.getRank() == from.getRank() + 1) ||
           (layout.isPairing() && isa<kernel::PackOp>(op));
  }
  auto convolution = dyn_cast<kernel::ConvolutionOp>(op);
  return !convolution || !convolution.getLayout().isPlain();
}

Operation *emitKernel(Emitter &e, Operation *op, const kernel::Target &target) {
  if (auto matmul = dyn_cast<kernel::MatmulOp>(op))
    return emit(e, matmul, target);
  if (auto winograd = dyn_cast<kernel::WinogradOp>(op))
    return emitWinograd(e, winograd, target);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](kernel::PackedMatmulOp op) { emitPackedMatmul(e, op, target); })
      .Case([&](kernel::ConvolutionOp op) { emit(e, op, target); })
      .Case([&](kernel::DepthwiseOp op) { emitDepthwise(e, op, target); })
      .Case([&](kernel::PoolOp op) { emitPool(e, op, target); })
      .Case([&](kernel::PackOp op) {
        if (op.getLayout().isPairing())
          emitPairingPack(e, op, target);
        else
          emitPack(e, op, target);
      })
      .Case([&](kernel::PackFilterOp op) { emitPackFilter(e, op, target); })
      .Case([&](kernel::CornerOp op) { emitCorner(e, op, target); })
      .Case([&](kernel::TransformFilterOp op) {
        emitTransformFilter(e, op, target);
      });
  return nullptr;
}

struct EmitKernels : impl::EmitKernelsBase<EmitKernels> {
  void runOnOperation() override {
    kernel::Target target = kernel::Target::of(getOperation());
    std::optional<LoopCycles> cycles = LoopCycles::of(getOperation());
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
      if (!isCompiled(op)) {
        op->emitOpError("has a layout that only weir-choose-layouts and "
                        "weir-pack-weights read");
        return signalPassFailure();
      }
      if (!hasInstructions(op, target)) {
        op->emitOpError("has a layout for instructions that the target lacks");
        return signalPassFailure();
      }
      if (isa<kernel::AttentionOp>(op)) {
        op->emitOpError("is whole; weir-block-attention divides it");
        return signalPassFailure();
      }
      if (lacksSchedule(op)) {
        op->emitOpError("has no schedule; weir-choose-schedules writes one");
        return signalPassFailure();
      }
      if (packsInside(op) && !packBefore(cast<kernel::MatmulOp>(op))) {
        op->emitOpError("packs inside, but no pack comes before it");
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
        doneInside.insert(emitKernel(e, op, target));
        if (cycles)
          cycles->total += e.cycles();
      }
      auto buffer = op->getOperands().back().getDefiningOp<memref::AllocOp>();
      op->erase();
      if (buffer && buffer->use_empty())
        buffer->erase();
    }
    if (cycles && attrs::kernel.isOn(getOperation()))
      setTime(*cycles);
    // Neither may sums have waited in the output.
    if (!inPlace.empty() &&
        isOnlyWritten(getOperation()->getRegion(0).getArguments().back()))
      attrs::inPlace.set(getOperation(), inPlace);
  }

private:
  void setTime(const LoopCycles &cycles) {
    auto nanoseconds = [](double cycles) {
      return static_cast<int64_t>(
          std::min(kernel::toNanoseconds(cycles), 1e15));
    };
    attrs::nanoseconds.set(getOperation(), nanoseconds(cycles.total));
    if (int64_t sequential = nanoseconds(cycles.sequential))
      attrs::sequentialNanoseconds.set(getOperation(), sequential);
  }
};

} // namespace
} // namespace weir::cpu
