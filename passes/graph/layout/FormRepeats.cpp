// Replaces gathers by broadcasts, if they repeat each element a fixed number of
// times.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "weir-form-repeats"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_FORMREPEATS
#include "passes/graph/Passes.h.inc"

namespace {

/// How many times in a row a gather repeats each element. No value for other
/// gathers.
std::optional<int64_t> repetitionsOf(GatherOp op) {
  DenseElementsAttr value;
  int64_t size = op.getX().getType().getDimSize(op.getAxis());
  RankedTensorType type = op.getIndices().getType();
  if (op.getBatchDims() != 0 || type.getRank() != 1 || size == 0 ||
      type.getDimSize(0) == size || type.getDimSize(0) % size != 0 ||
      !matchPattern(op.getIndices(), m_Constant(&value)))
    return std::nullopt;
  // No value if there are more indices than folders read.
  std::optional<SmallVector<int64_t>> indices = graph::integersOf(value);
  int64_t times = type.getDimSize(0) / size;
  if (!indices || llvm::any_of(llvm::enumerate(*indices), [&](auto entry) {
        return entry.value() != int64_t(entry.index()) / times;
      }))
    return std::nullopt;
  return times;
}

struct GatherToBroadcast : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &b) const override {
    if (op->hasOneUse())
      if (auto next = dyn_cast<GatherOp>(*op->user_begin());
          next && next.getX() == op.getResult() && repetitionsOf(next))
        return b.notifyMatchFailure(op, "one with the next");
    SmallVector<int64_t> times(op.getType().getRank(), 1);
    Value x = op;
    while (auto gather = x.getDefiningOp<GatherOp>()) {
      std::optional<int64_t> own;
      if (gather == op || gather->hasOneUse())
        own = repetitionsOf(gather);
      if (!own)
        break;
      times[gather.getAxis()] *= *own;
      x = gather.getX();
    }
    if (x == op.getResult())
      return b.notifyMatchFailure(op, "elements are not repeated in turn");
    SmallVector<int64_t> dims, shape;
    auto type = cast<RankedTensorType>(x.getType());
    for (auto [size, count] : llvm::zip_equal(type.getShape(), times)) {
      dims.push_back(int64_t(shape.size()));
      shape.push_back(size);
      if (count > 1)
        shape.push_back(count);
    }
    Value repeated =
        b.create<graph::BroadcastOp>(op.getLoc(), type.clone(shape), x, dims);
    b.replaceOpWithNewOp<graph::ReshapeOp>(op, op.getType(), repeated);
    return success();
  }
};

struct FormRepeats : impl::FormRepeatsBase<FormRepeats> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<GatherToBroadcast>(&getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::graph
