// Splits long reductions into partial reductions of work items, and a short
// reduction of their results. It splits reductions to few elements, which
// threads could not share, and sums of rows, to shorten chains of additions.
//
// Upstream's splitReduction does the same on tensors, but only for sizes that
// the number of parts divides. It would also run before row-wise fusion, which
// would then not recognize the loops.

#include "passes/cpu/Passes.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/loops/Accumulators.h"
#include "passes/cpu/loops/LoopNest.h"
#include "passes/cpu/loops/WorkItems.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-split-reductions"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "passes/cpu/Passes.h.inc"

namespace {

/// Loops with a parallel dimension as long as this are shared along it.
constexpr int64_t enoughForThreads = 8;
/// The limit of all partial results, in bytes.
constexpr int64_t maxBytes = 64 << 10;
/// Sums of floats of more terms than twice this, each added to the one before,
/// are of chains about as long.
constexpr int64_t chain = 64;

struct Split {
  Cut cut;
  Operation *combiner;
  TypedAttr neutral;
  bool shared; // by threads
};

int64_t bytesOf(OpOperand &init) {
  auto type = cast<MemRefType>(init.get().getType());
  return std::max<int64_t>(1, type.getNumElements()) *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// For threads: what has no long parallel dimension.
std::optional<Cut> cutForThreads(LoopNest &nest, OpOperand &init,
                                 double cycles) {
  if (cycles < 2 * kernel::worthSharingCycles)
    return std::nullopt;
  // A work item computes all elements of the result.
  for (unsigned d = 0; d < nest.ranges.size(); ++d)
    if (nest.isReduction(d) ? nest.mapOf(init).isFunctionOfDim(d)
                            : nest.ranges[d] >= enoughForThreads)
      return std::nullopt;
  return cutLoops(nest.ranges, cycles, [&](unsigned d) -> int64_t {
    return nest.isReduction(d) ? workItemStep(nest.ranges, d) : 0;
  });
}

/// For sums of floats whose lanes are elements of the result: each adds one
/// term after the other.
std::optional<Cut> cutIntoChains(LoopNest &nest, OpOperand &init) {
  if (!nest.applies() || nest.isReduction(nest.dimension) ||
      !isa_and_nonnull<arith::AddFOp>(nest.combiner(init)))
    return std::nullopt;
  int64_t terms = 1;
  std::optional<unsigned> outermost;
  for (unsigned d = nest.ranges.size(); d-- > 0;)
    if (nest.isReduction(d)) {
      if (nest.mapOf(init).isFunctionOfDim(d))
        return std::nullopt;
      outermost = d;
      terms *= nest.ranges[d];
    }
  if (!outermost || terms <= 2 * chain)
    return std::nullopt;
  int64_t workItems = maxBytes / bytesOf(init);
  if (workItems < 2)
    return std::nullopt;
  int64_t range = nest.ranges[*outermost], inside = terms / range;
  Cut cut{*outermost, range,
          std::max({int64_t(1), chain / inside,
                    llvm::divideCeilSigned(range, workItems)})};
  return cut.size < range ? std::optional(cut) : std::nullopt;
}

std::optional<Split> splitOf(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      llvm::is_contained(ranges, 0) ||
      llvm::any_of(ranges, ShapedType::isDynamic) || !isSliceable(op) ||
      !llvm::all_of(op->getOperandTypes(), [](Type type) {
        return getElementTypeOrSelf(type).isIntOrFloat();
      }))
    return std::nullopt;
  double cycles = loopCycles(op);
  LoopNest nest(op);
  OpOperand &init = op.getDpsInitsMutable()[0];
  if (llvm::is_contained(op.getDpsInputs(), init.get()))
    return std::nullopt;
  bool shared = true;
  std::optional<Cut> cut = cutForThreads(nest, init, cycles);
  if (!cut) {
    cut = cutIntoChains(nest, init);
    shared = cycles >= kernel::worthSharingCycles;
  }
  Operation *combiner = nest.combiner(init);
  TypedAttr neutral = combiner ? neutralElement(combiner) : TypedAttr();
  if (!cut || !neutral)
    return std::nullopt;
  if (cut->workItems() * bytesOf(init) > maxBytes)
    return std::nullopt;
  return Split{*cut, combiner, neutral, shared};
}

/// Adds the partial results of all work items, which are along the first
/// dimension, to `out`.
void combineWorkItems(Emitter &e, Value results, Value out,
                      Operation *combiner) {
  int64_t rank = cast<MemRefType>(results.getType()).getRank();
  AffineMap all = e.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators[0] = utils::IteratorType::reduction;
  e.create<linalg::GenericOp>(
      results, out, ArrayRef<AffineMap>{all, all.dropResult(0)}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        OperationState state(loc, combiner->getName(), {args[1], args[0]},
                             combiner->getResultTypes(), combiner->getAttrs());
        b.create<linalg::YieldOp>(loc, b.create(state)->getResults());
      });
}

void split(linalg::LinalgOp op, const Split &how) {
  Emitter e(op.getLoc(), op);
  Value out = op.getDpsInits()[0];
  auto type = cast<MemRefType>(out.getType());
  SmallVector<int64_t> shape = {how.cut.workItems()};
  llvm::append_range(shape, type.getShape());
  Value results = e.buffer(shape, type.getElementType());
  Value neutral = e.create<arith::ConstantOp>(how.neutral);
  SmallVector<OpFoldResult> offsets(shape.size(), e.getIndexAttr(0)),
      strides(shape.size(), e.getIndexAttr(1)), sizes;
  for (int64_t size : shape)
    sizes.push_back(e.getIndexAttr(size));
  sizes[0] = e.getIndexAttr(1);
  auto workItem = [&](Value workItem, ArrayRef<LoopSlice> slices) {
    offsets[0] = workItem;
    Value own = e.create<memref::SubViewOp>(
        cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
            type.getShape(), cast<MemRefType>(results.getType()), offsets,
            sizes, strides)),
        results, offsets, sizes, strides);
    e.create<linalg::FillOp>(neutral, own);
    makeSlice(e, op, slices,
              [&](Value operand) { return operand == out ? own : Value(); });
  };
  if (how.shared)
    shareWorkItems(e, how.cut, workItem);
  else
    eachWorkItem(e, how.cut, e.index(0), e.index(how.cut.workItems()),
                 workItem);
  combineWorkItems(e, results, out, how.combiner);
  op.erase();
}

struct SplitReductions : impl::SplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel))
      return;
    for (auto op : llvm::make_early_inc_range(
             kernel.getBody().front().getOps<linalg::LinalgOp>()))
      if (std::optional<Split> found = splitOf(op)) {
        LLVM_DEBUG(llvm::dbgs() << "splits the reduction at " << op.getLoc()
                                << " among work items\n");
        split(op, *found);
      }
  }
};

} // namespace
} // namespace weir::cpu
