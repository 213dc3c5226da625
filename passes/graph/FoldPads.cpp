// Folds the padding of images into convolutions and pools.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "weir-fold-pads"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_FOLDPADS
#include "passes/graph/Passes.h.inc"

namespace {

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// Whether the op pads spatial dimensions only, at their ends only.
bool isMargin(graph::PadOp pad) {
  ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
  return !low.front() && !high.front() && !low.back() && !high.back() &&
         llvm::all_of(pad.getInterior(), [](int64_t n) { return n == 0; });
}

/// Clones `op` with the margins of `pad` added to its own padding.
template <typename Op>
void takeMargin(Op op, graph::PadOp pad, PatternRewriter &b) {
  SmallVector<int64_t> lows(op.getPaddingLow()), highs(op.getPaddingHigh());
  for (size_t i = 0; i < lows.size(); ++i) {
    lows[i] += pad.getLow()[i + 1];
    highs[i] += pad.getHigh()[i + 1];
  }
  b.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(pad.getX());
    op.setPaddingLow(lows);
    op.setPaddingHigh(highs);
  });
}

/// Whether a pool can pad by the margins; its padding must be less than its
/// window.
template <typename Op>
bool hasRoomFor(Op op, graph::PadOp pad) {
  for (auto [i, size] : llvm::enumerate(op.getWindow()))
    if (op.getPaddingLow()[i] + pad.getLow()[i + 1] >= size ||
        op.getPaddingHigh()[i] + pad.getHigh()[i + 1] >= size)
      return false;
  return true;
}

/// The op that pads the images of `op` by zeros only, or null.
template <typename Op>
FailureOr<graph::PadOp> zerosAround(Op op, PatternRewriter &b) {
  auto pad = op.getX().template getDefiningOp<graph::PadOp>();
  if (!pad)
    return b.notifyMatchFailure(op, "no pad makes its images");
  if (!isZero(pad.getValue()))
    return b.notifyMatchFailure(op, "padded with something else");
  if (!isMargin(pad))
    return b.notifyMatchFailure(op, "pads more than the images' margin");
  return pad;
}

/// A convolution pads by zeros itself.
struct FoldIntoConvolution : OpRewritePattern<graph::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ConvolutionOp op,
                                PatternRewriter &b) const override {
    FailureOr<graph::PadOp> pad = zerosAround(op, b);
    if (failed(pad))
      return failure();
    takeMargin(op, *pad, b);
    return success();
  }
};

/// A max pool ignores its padding. Margins can be folded if no element of them
/// can be a maximum: each window contains an element, because the padding is
/// less than the window.
struct FoldIntoPoolMax : OpRewritePattern<graph::PoolMaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::PoolMaxOp op,
                                PatternRewriter &b) const override {
    auto pad = op.getX().getDefiningOp<graph::PadOp>();
    if (!pad)
      return b.notifyMatchFailure(op, "no pad makes its images");
    if (!neverWins(pad))
      return b.notifyMatchFailure(op, "padded with what may be the greatest");
    if (!isMargin(pad))
      return b.notifyMatchFailure(op, "pads more than the images' margin");
    if (!hasRoomFor(op, pad))
      return b.notifyMatchFailure(op, "has windows of nothing but padding");
    takeMargin(op, pad, b);
    return success();
  }

private:
  /// Whether the margins have the lowest value, or are zeros beside elements
  /// that are never negative.
  static bool neverWins(graph::PadOp pad) {
    if (isZero(pad.getValue()))
      return isa_and_nonnull<graph::ReluOp, graph::Relu6Op, graph::AbsOp>(
                 pad.getX().getDefiningOp()) &&
             isa<FloatType>(getElementTypeOrSelf(pad.getX()));
    return matchPattern(pad.getValue(), m_NegInfFloat());
  }
};

/// A mean must count the folded margins as elements, and so all of its padding.
struct FoldIntoPoolAverage : OpRewritePattern<graph::PoolAverageOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::PoolAverageOp op,
                                PatternRewriter &b) const override {
    FailureOr<graph::PadOp> pad = zerosAround(op, b);
    if (failed(pad))
      return failure();
    auto isNone = [](int64_t n) { return n == 0; };
    if (!op.getCountsPadding() && !(llvm::all_of(op.getPaddingLow(), isNone) &&
                                    llvm::all_of(op.getPaddingHigh(), isNone)))
      return b.notifyMatchFailure(op, "pads with what does not count");
    if (!hasRoomFor(op, *pad))
      return b.notifyMatchFailure(op, "has windows of nothing but padding");
    takeMargin(op, *pad, b);
    b.modifyOpInPlace(op, [&] { op.setCountsPadding(true); });
    return success();
  }
};

struct FoldPads : impl::FoldPadsBase<FoldPads> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoConvolution, FoldIntoPoolMax, FoldIntoPoolAverage>(
        &getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::graph
