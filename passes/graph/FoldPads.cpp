// A margin of zeros around images is what convolutions pad with themselves.

#include "passes/graph/Passes.h"

#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "weir-fold-pads"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_FOLDPADS
#include "passes/graph/Passes.h.inc"

namespace {

/// A margin of zeros is what a convolution pads with.
struct FoldIntoConvolution : OpRewritePattern<graph::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ConvolutionOp op,
                                PatternRewriter &b) const override {
    auto pad = op.getX().getDefiningOp<graph::PadOp>();
    if (!pad)
      return b.notifyMatchFailure(op, "no pad makes its images");
    if (!matchPattern(pad.getValue(), m_AnyZeroFloat()) &&
        !matchPattern(pad.getValue(), m_Zero()))
      return b.notifyMatchFailure(op, "padded with something else");
    ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
    if (low.front() || high.front() || low.back() || high.back() ||
        llvm::any_of(pad.getInterior(), [](int64_t n) { return n != 0; }))
      return b.notifyMatchFailure(op, "pads more than the images' margin");
    SmallVector<int64_t> lows(op.getPaddingLow()), highs(op.getPaddingHigh());
    for (size_t i = 0; i < lows.size(); ++i) {
      lows[i] += low[i + 1];
      highs[i] += high[i + 1];
    }
    b.modifyOpInPlace(op, [&] {
      op.getXMutable().assign(pad.getX());
      op.setPaddingLow(lows);
      op.setPaddingHigh(highs);
    });
    return success();
  }
};

struct FoldPads : impl::FoldPadsBase<FoldPads> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoConvolution>(&getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir
