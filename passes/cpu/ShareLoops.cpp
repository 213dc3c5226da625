// Loops over large buffers become grains of work that threads share.
//
// A grain is a slice along one parallel dimension whose size is fixed here, so
// that each element is computed by the same code whichever thread has it; a
// reduction stays within its grain.

#include "passes/cpu/Passes.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/loops/Grains.h"
#include "passes/cpu/loops/Slices.h"
#include "passes/cpu/loops/Squares.h"

#include "dialects/kernel/Nests.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_SHARELOOPS
#include "passes/cpu/Passes.h.inc"

namespace {

/// What is transposed in registers, of any target.
constexpr int64_t squareGrain = 16;

struct Slicing {
  unsigned dimension;
  int64_t size;  // of a grain
  int64_t range; // of the dimension
};

std::optional<Slicing> slicingOf(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!op.hasPureBufferSemantics() || ranges.empty() ||
      llvm::any_of(ranges, ShapedType::isDynamic) || !isSliceable(op))
    return std::nullopt;
  double time = nanoseconds(op);
  if (time < worthSharing)
    return std::nullopt;
  // The outermost dimension that feeds several threads, else the longest.
  std::optional<unsigned> dimension;
  for (unsigned d = 0; d < ranges.size(); ++d) {
    if (!kernel::separates(op, d))
      continue;
    if (ranges[d] >= 16 && (!dimension || ranges[*dimension] < 16))
      dimension = d;
    else if (!dimension ||
             (ranges[*dimension] < 16 && ranges[d] > ranges[*dimension]))
      dimension = d;
  }
  if (!dimension)
    return std::nullopt;
  int64_t range = ranges[*dimension];
  int64_t step = *dimension + 1 == ranges.size() ? laneGrain : 1;
  if (std::optional<Squares> squares = Squares::of(op);
      squares && *dimension == squares->down)
    step = squareGrain;
  int64_t size = grainSize(time, range, step);
  if (size >= range)
    return std::nullopt;
  return Slicing{*dimension, size, range};
}

void share(linalg::LinalgOp op, const Slicing &slicing) {
  Emitter e(op.getLoc(), op);
  shareGrains(e, slicing.range, slicing.size,
              [&](Value, Value first, int64_t size) {
                SmallVector<LoopSlice> slices(slicing.dimension + 1);
                slices.back() = {first, size};
                makeSlice(e, op, slices);
              });
  op.erase();
}

struct ShareLoops : impl::ShareLoopsBase<ShareLoops> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr("weir.kernel"))
      return;
    for (auto op : llvm::make_early_inc_range(
             kernel.getBody().front().getOps<linalg::LinalgOp>()))
      if (std::optional<Slicing> slicing = slicingOf(op))
        share(op, *slicing);
  }
};

} // namespace
} // namespace weir
