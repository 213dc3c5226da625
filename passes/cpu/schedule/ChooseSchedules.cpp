// Writes the schedule of each kernel on its op.

#include "passes/cpu/Passes.h"

#include "passes/cpu/schedule/Convolution.h"
#include "passes/cpu/schedule/Dot.h"
#include "passes/cpu/schedule/Line.h"
#include "passes/cpu/schedule/Matmul.h"
#include "passes/cpu/schedule/Pairing.h"
#include "passes/cpu/schedule/Tiles.h"
#include "passes/cpu/schedule/Winograd.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-choose-schedules"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_CHOOSESCHEDULES
#include "passes/cpu/Passes.h.inc"

namespace {

/// Writes the schedule of a kernel, and checks it.
class Scheduler {
public:
  explicit Scheduler(Operation *root)
      : target(kernel::Target::of(root)), overrides(kernel::overridesOf(root)) {
  }

  /// Chooses for a kernel that has an algorithm with schedules.
  LogicalResult choose(Operation *op, kernel::Algorithm algorithm) {
    switch (algorithm) {
#define WEIR_ALGORITHM(name, word)                                             \
  case kernel::Algorithm::name:                                                \
    return choose##name##Of(op);
#include "dialects/kernel/schedule/Schedules.def"
    }
    llvm_unreachable("no algorithm has another value");
  }

private:
  kernel::Target target;
  std::vector<kernel::Override> overrides;

  LogicalResult chooseMatmulOf(Operation *op) {
    auto shape = kernel::MatmulShape::of(op, target);
    auto context = MatmulContext::of(cast<kernel::MatmulOp>(op), target);
    return choose<kernel::MatmulScheduleAttr>(
        op,
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseMatmul(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) {
          return check(op, schedule, shape, context);
        });
  }

  LogicalResult chooseConvolutionOf(Operation *op) {
    auto shape = kernel::ConvolutionShape::of(op, target);
    auto context = KernelContext::of(op);
    return choose<kernel::ConvolutionScheduleAttr>(
        op,
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseConvolution(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) {
          return checkShared(op, context,
                             schedule.share != kernel::ConvolutionShare::none);
        });
  }

  LogicalResult chooseWinogradOf(Operation *op) {
    auto shape = kernel::WinogradShape::of(op, target);
    auto context = WinogradContext::of(cast<kernel::WinogradOp>(op));
    return choose<kernel::WinogradScheduleAttr>(
        op,
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseWinograd(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) { return check(op, schedule, context); });
  }

  LogicalResult chooseLineOf(Operation *op) {
    auto shape = kernel::LineShape::of(op, target);
    auto context = KernelContext::of(op);
    return choose<kernel::LineScheduleAttr>(
        op,
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseLine(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) {
          return checkShared(op, context,
                             schedule.share != kernel::LineShare::none);
        });
  }

  LogicalResult chooseTilesOf(Operation *op) {
    auto shape = kernel::TilesShape::of(op, target);
    // The emitter refuses a layout without its instructions.
    if (!shape.hasTiles && !shape.hasDots)
      return success();
    auto context = KernelContext::of(op);
    return choose<kernel::TilesScheduleAttr>(
        op,
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseTiles(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) -> LogicalResult {
          if (failed(checkShared(op, context,
                                 schedule.share != kernel::TilesShare::none)))
            return failure();
          return checkSpilled(op, kernel::Algorithm::Tiles,
                              shape.spilledBytes(schedule));
        });
  }

  LogicalResult chooseDotOf(Operation *op) {
    auto shape = kernel::DotShape::of(op, target);
    auto context = KernelContext::of(op);
    return choose<kernel::DotScheduleAttr>(
        op,
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseDot(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) {
          return checkShared(op, context,
                             schedule.share != kernel::DotShare::none);
        });
  }

  LogicalResult choosePairingOf(Operation *op) {
    auto shape = kernel::PairingShape::of(op, target);
    auto context = PairingContext::of(op);
    return choose<kernel::PairingScheduleAttr>(
        op,
        [&](const auto &given, DictionaryAttr fixed) {
          return choosePairing(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) -> LogicalResult {
          if (failed(checkShared(op, context,
                                 schedule.share != kernel::PairingShare::none)))
            return failure();
          kernel::PairingSplits splits(shape, schedule);
          if (failed(checkSpilled(op, kernel::Algorithm::Pairing,
                                  splits.spilledBytes(shape))))
            return failure();
          return checkPacked(op, schedule.packInside, bool(context.pack));
        });
  }

  // A schedule that is there stays. Otherwise `chooser` returns one, which has
  // the parameters that the user has fixed. `check` knows the surroundings.
  template <typename Attr, typename Choose, typename Check>
  LogicalResult choose(Operation *op, Choose chooser, Check check) {
    if (auto attr = op->getAttrOfType<Attr>("schedule"))
      return check(attr.getValue());
    std::decay_t<decltype(std::declval<Attr>().getValue())> given;
    DictionaryAttr fixed =
        kernel::fixedParameters(overrides, op, Attr::algorithm);
    auto emitError = [&] {
      return mlir::emitError(op->getLoc(), "--schedule: ");
    };
    for (NamedAttribute parameter :
         fixed ? fixed : DictionaryAttr::get(op->getContext()))
      if (failed(setParameter(given, parameter.getName(), parameter.getValue(),
                              emitError)))
        return failure();
    auto attr = Attr::get(op->getContext(), chooser(given, fixed));
    op->setAttr("schedule", attr);
    LLVM_DEBUG(llvm::dbgs() << "gives " << op->getName() << " at "
                            << op->getLoc() << " " << attr << "\n");
    if (failed(kernel::verifySchedule(op)))
      return failure();
    return check(attr.getValue());
  }

  // Fixed parameters may spill all partial sums of a large result, once for
  // each thread. The choosers' own slabs depend on the size of L2.
  LogicalResult checkSpilled(Operation *op, kernel::Algorithm algorithm,
                             int64_t bytes) {
    constexpr int64_t most = int64_t(2) << 30;
    if (bytes > most && kernel::fixedParameters(overrides, op, algorithm))
      return op->emitOpError("spills ")
             << bytes << " bytes of partial sums of a slab, more than the "
             << "limit of " << most;
    return success();
  }

  // Work items in a loop would be a parallel region in each iteration.
  LogicalResult checkShared(Operation *op, const KernelContext &context,
                            bool isShared) {
    if (isShared && !context.inFunction)
      return op->emitOpError("share is not none, but the kernel is in a loop");
    return success();
  }

  LogicalResult check(Operation *op, const kernel::MatmulSchedule &schedule,
                      const kernel::MatmulShape &shape,
                      const MatmulContext &context) {
    bool shared = schedule.share != kernel::MatmulShare::none;
    if (failed(checkShared(op, context, shared)))
      return failure();
    // A row-wise fusion reads only the rows of its own row block.
    bool byRowBlocks = isByRowBlocks(shape, context, schedule);
    if (byRowBlocks != (schedule.share == kernel::MatmulShare::rowBlocks))
      return op->emitOpError(byRowBlocks
                                 ? "share is not row_blocks, but the kernel is "
                                   "part of a row-wise fusion"
                                 : "share is row_blocks, but the kernel is not "
                                   "part of a row-wise fusion");
    return checkPacked(op, schedule.packInside, context.mayPack);
  }

  LogicalResult check(Operation *op, const kernel::WinogradSchedule &schedule,
                      const WinogradContext &context) {
    bool sharesProducts =
        llvm::any_of(schedule.productShare, [](kernel::MatmulShare share) {
          return share != kernel::MatmulShare::none;
        });
    if (sharesProducts && context.isDynamic)
      return op->emitOpError("product_share is not none, but the size of the "
                             "results is dynamic");
    return checkShared(op, context,
                       sharesProducts ||
                           schedule.share != kernel::WinogradShare::none);
  }

  LogicalResult checkPacked(Operation *op, bool packInside, bool mayPack) {
    if (packInside && !mayPack)
      return op->emitOpError("pack_inside is true, but no kernel.pack for this "
                             "kernel alone comes before it");
    return success();
  }
};

/// Whether the kernel is on buffers and has results.
bool needsSchedule(Operation *kernel) {
  auto out = dyn_cast<MemRefType>(kernel->getOperands().back().getType());
  return out && out.getNumElements() != 0;
}

struct ChooseSchedules : impl::ChooseSchedulesBase<ChooseSchedules> {
  void runOnOperation() override {
    Scheduler scheduler(getOperation());
    WalkResult walk = getOperation()->walk([&](Operation *op) -> WalkResult {
      std::optional<kernel::Algorithm> algorithm = kernel::algorithmOf(op);
      return algorithm && needsSchedule(op) ? scheduler.choose(op, *algorithm)
                                            : success();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::cpu
