// Writes the schedule of each kernel on its op.

#include "passes/cpu/Passes.h"

#include "passes/cpu/schedule/Convolution.h"
#include "passes/cpu/schedule/Dot.h"
#include "passes/cpu/schedule/Line.h"
#include "passes/cpu/schedule/Matmul.h"
#include "passes/cpu/schedule/Pairing.h"
#include "passes/cpu/schedule/Tiles.h"
#include "passes/cpu/schedule/Winograd.h"

#include "llvm/ADT/TypeSwitch.h"
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

  LogicalResult choose(kernel::MatmulOp op) {
    if (kernel::hasTilesSchedule(op))
      return chooseOfTiles(op);
    if (kernel::hasDotSchedule(op))
      return chooseOfDots(op);
    if (kernel::hasPairingSchedule(op))
      return chooseOfPairing(op);
    if (!kernel::hasMatmulSchedule(op))
      return success();
    auto shape = kernel::MatmulShape::of(op, target);
    auto context = MatmulContext::of(op, target);
    return choose<kernel::MatmulScheduleAttr, kernel::MatmulSchedule>(
        op, "matmul",
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseMatmul(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) {
          return check(op, schedule, shape, context);
        });
  }

  LogicalResult choose(kernel::ConvolutionOp op) {
    if (kernel::hasLineSchedule(op))
      return chooseOfLine(op);
    if (kernel::hasTilesSchedule(op))
      return chooseOfTiles(op);
    if (kernel::hasPairingSchedule(op))
      return chooseOfPairing(op);
    if (!kernel::hasConvolutionSchedule(op))
      return success();
    kernel::ConvolutionShape shape(op, target);
    auto context = KernelContext::of(op);
    return choose<kernel::ConvolutionScheduleAttr, kernel::ConvolutionSchedule>(
        op, "convolution",
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseConvolution(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) {
          return checkShared(op, context,
                             schedule.share != kernel::ConvolutionShare::none);
        });
  }

  LogicalResult choose(kernel::WinogradOp op) {
    kernel::WinogradShape shape(op, target);
    auto context = WinogradContext::of(op);
    return choose<kernel::WinogradScheduleAttr, kernel::WinogradSchedule>(
        op, "winograd",
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseWinograd(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) { return check(op, schedule, context); });
  }

  LogicalResult choose(kernel::DepthwiseOp op) { return chooseOfLine(op); }
  LogicalResult choose(kernel::PoolOp op) { return chooseOfLine(op); }

private:
  kernel::Target target;
  std::vector<kernel::Override> overrides;

  template <typename Op>
  LogicalResult chooseOfLine(Op op) {
    kernel::LineShape shape(op, target);
    auto context = KernelContext::of(op);
    return choose<kernel::LineScheduleAttr, kernel::LineSchedule>(
        op, "line",
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseLine(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) {
          return checkShared(op, context,
                             schedule.share != kernel::LineShare::none);
        });
  }

  template <typename Op>
  LogicalResult chooseOfTiles(Op op) {
    kernel::TilesShape shape(op, target);
    // The emitter refuses a layout without its instructions.
    if (!shape.hasTiles && !shape.hasDots)
      return success();
    auto context = KernelContext::of(op);
    return choose<kernel::TilesScheduleAttr, kernel::TilesSchedule>(
        op, "tiles",
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseTiles(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) -> LogicalResult {
          if (failed(checkShared(op, context,
                                 schedule.share != kernel::TilesShare::none)))
            return failure();
          return checkSpilled(op, "tiles", shape.spilledBytes(schedule));
        });
  }

  LogicalResult chooseOfDots(kernel::MatmulOp op) {
    kernel::DotShape shape(op, target);
    auto context = KernelContext::of(op);
    return choose<kernel::DotScheduleAttr, kernel::DotSchedule>(
        op, "dot",
        [&](const auto &given, DictionaryAttr fixed) {
          return chooseDot(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) {
          return checkShared(op, context,
                             schedule.share != kernel::DotShare::none);
        });
  }

  template <typename Op>
  LogicalResult chooseOfPairing(Op op) {
    kernel::PairingShape shape(op, target);
    auto context = PairingContext::of(op);
    return choose<kernel::PairingScheduleAttr, kernel::PairingSchedule>(
        op, "pairing",
        [&](const auto &given, DictionaryAttr fixed) {
          return choosePairing(shape, context, target, given, fixed);
        },
        [&](const auto &schedule) -> LogicalResult {
          if (failed(checkShared(op, context,
                                 schedule.share != kernel::PairingShare::none)))
            return failure();
          kernel::PairingSplits splits(shape, schedule);
          if (failed(checkSpilled(op, "pairing", splits.spilledBytes(shape))))
            return failure();
          return checkPacked(op, schedule.packInside, bool(context.pack));
        });
  }

  // A schedule that is there stays. Otherwise `chooser` returns one, which has
  // the parameters that the user has fixed. `check` knows the surroundings.
  template <typename Attr, typename Schedule, typename Op, typename Choose,
            typename Check>
  LogicalResult choose(Op op, StringRef algorithm, Choose chooser,
                       Check check) {
    if (auto attr = dyn_cast_or_null<Attr>(op.getScheduleAttr()))
      return check(attr.getValue());
    Schedule given;
    DictionaryAttr fixed = kernel::fixedParameters(overrides, op, algorithm);
    auto emitError = [&] {
      return mlir::emitError(op.getLoc(), "--schedule: ");
    };
    for (NamedAttribute parameter :
         fixed ? fixed : DictionaryAttr::get(op.getContext()))
      if (failed(setParameter(given, parameter.getName(), parameter.getValue(),
                              emitError)))
        return failure();
    auto attr = Attr::get(op.getContext(), chooser(given, fixed));
    op.setScheduleAttr(attr);
    LLVM_DEBUG(llvm::dbgs() << "gives " << op->getName() << " at "
                            << op.getLoc() << " " << attr << "\n");
    if (failed(attr.verifyFor(op)))
      return failure();
    return check(attr.getValue());
  }

  // Fixed parameters may spill all partial sums of a large result, once for
  // each thread. The choosers' own slabs depend on the size of L2.
  LogicalResult checkSpilled(Operation *op, StringRef algorithm,
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

  LogicalResult check(kernel::MatmulOp op,
                      const kernel::MatmulSchedule &schedule,
                      const kernel::MatmulShape &shape,
                      const MatmulContext &context) {
    bool shared = schedule.share != kernel::MatmulShare::none;
    if (failed(checkShared(op, context, shared)))
      return failure();
    // A row-wise fusion reads only the rows of its own row block.
    bool byRowBlocks = isByRowBlocks(shape, context, schedule);
    if (byRowBlocks != (schedule.share == kernel::MatmulShare::rowBlocks))
      return op.emitOpError(byRowBlocks
                                ? "share is not row_blocks, but the kernel is "
                                  "part of a row-wise fusion"
                                : "share is row_blocks, but the kernel is not "
                                  "part of a row-wise fusion");
    return checkPacked(op, schedule.packInside, context.mayPack);
  }

  LogicalResult check(kernel::WinogradOp op,
                      const kernel::WinogradSchedule &schedule,
                      const WinogradContext &context) {
    bool sharesProducts =
        llvm::any_of(schedule.productShare, [](kernel::MatmulShare share) {
          return share != kernel::MatmulShare::none;
        });
    if (sharesProducts && context.isDynamic)
      return op.emitOpError("product_share is not none, but the size of the "
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
template <typename Op>
bool needsSchedule(Op op) {
  auto out = dyn_cast<MemRefType>(op.getOut().getType());
  return out && out.getNumElements() != 0;
}

struct ChooseSchedules : impl::ChooseSchedulesBase<ChooseSchedules> {
  void runOnOperation() override {
    Scheduler scheduler(getOperation());
    WalkResult walk = getOperation()->walk([&](Operation *op) -> WalkResult {
      return TypeSwitch<Operation *, LogicalResult>(op)
          .Case<kernel::MatmulOp, kernel::ConvolutionOp, kernel::DepthwiseOp,
                kernel::PoolOp, kernel::WinogradOp>([&](auto kernel) {
            return needsSchedule(kernel) ? scheduler.choose(kernel) : success();
          })
          .Default(success());
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::cpu
