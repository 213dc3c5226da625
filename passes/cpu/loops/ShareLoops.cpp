// Divides loops over large buffers into work items, which threads share.
//
// A work item is a slice along one parallel dimension. Its size is fixed here,
// so the same code computes an element on any thread. A reduction stays within
// its work item.

#include "passes/cpu/Passes.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/loops/Slices.h"
#include "passes/cpu/loops/TransposeBlocks.h"
#include "passes/cpu/loops/WorkItems.h"

#include "dialects/kernel/Nests.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir::cpu {
#define GEN_PASS_DEF_SHARELOOPS
#include "passes/cpu/Passes.h.inc"

namespace {

/// What is transposed in registers, of any target.
constexpr int64_t transposedRows = 16;
/// With fewer work items, the shares of threads would be uneven.
constexpr int64_t minTransposedWorkItems = 4;

/// The blocks of rows that the kernel is to be shared by, where one loop of the
/// op is over these rows.
std::optional<Cut>
rowBlocksOf(linalg::LinalgOp op, ArrayRef<int64_t> ranges,
            const std::optional<TransposeBlocks> &transpose) {
  std::optional<RowBlocks> blocks = RowBlocks::of(op);
  if (!blocks)
    return std::nullopt;
  auto found = llvm::find_if(ranges, [](int64_t range) { return range != 1; });
  unsigned d = found - ranges.begin();
  if (found == ranges.end() || *found != blocks->rows ||
      !kernel::separates(op, d) ||
      (transpose && (d != transpose->down || blocks->size % transposedRows)))
    return std::nullopt;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!kernel::isRowWise(op.getMatchingIndexingMap(&init), d + 1))
      return std::nullopt;
  return Cut{d, blocks->rows, blocks->size, /*rowWise=*/true};
}

/// The multiple of a work item's size along a loop. One thread sums rows in
/// memory order, for which hardware prefetchers are made: 30 GB/s instead of 24
/// on a Sapphire Rapids.
int64_t stepOf(linalg::LinalgOp op, ArrayRef<int64_t> ranges, unsigned d) {
  int64_t step = workItemStep(ranges, d);
  bool alone = slotsOf(op) == 1 && op.getNumReductionLoops() > 0;
  return alone && step > 1 ? ranges[d] : step;
}

std::optional<Cut> cutOf(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!op.hasPureBufferSemantics() || ranges.empty() ||
      llvm::any_of(ranges, ShapedType::isDynamic) || !isSliceable(op))
    return std::nullopt;
  std::optional<TransposeBlocks> transpose = TransposeBlocks::of(op);
  if (std::optional<Cut> blocks = rowBlocksOf(op, ranges, transpose))
    return blocks;
  double cycles = loopCycles(op);
  if (cycles < kernel::worthSharingCycles)
    return std::nullopt;
  auto step = [&](unsigned d) -> int64_t {
    if (!kernel::separates(op, d))
      return 0;
    return transpose && d == transpose->down ? transposedRows
                                             : stepOf(op, ranges, d);
  };
  // What is transposed is cut where rows of transpose blocks are neither, if
  // possible: along images or their rows, as what comes before and after is.
  std::optional<Cut> cut;
  if (transpose)
    cut = cutLoops(ranges, cycles, [&](unsigned d) {
      return d == transpose->down || d == transpose->across ? 0 : step(d);
    });
  if (!cut || cut->workItems() < minTransposedWorkItems)
    cut = cutLoops(ranges, cycles, step);
  if (!cut)
    return std::nullopt;
  return withOuterLoops(*cut, ranges, step);
}

void share(linalg::LinalgOp op, const Cut &cut) {
  Emitter e(op.getLoc(), op);
  shareWorkItems(e, cut, [&](Value, ArrayRef<LoopSlice> slices) {
    makeSlice(e, op, slices);
  });
  op.erase();
}

struct ShareLoops : impl::ShareLoopsBase<ShareLoops> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel))
      return;
    for (auto op : llvm::make_early_inc_range(
             kernel.getBody().front().getOps<linalg::LinalgOp>()))
      if (std::optional<Cut> cut = cutOf(op))
        share(op, *cut);
  }
};

} // namespace
} // namespace weir::cpu
