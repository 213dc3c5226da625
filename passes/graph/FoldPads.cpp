// Margins around images that convolutions and pools pad with themselves.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elementwise.h"
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

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// Whether only the spatial dimensions have a margin, and elements no gaps.
bool isMargin(graph::PadOp pad) {
  ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
  return !low.front() && !high.front() && !low.back() && !high.back() &&
         llvm::all_of(pad.getInterior(), [](int64_t n) { return n == 0; });
}

/// `op` with the margin that `pad` makes as its own padding.
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

/// Whether a pool, which pads by less than its windows, can make the margin.
template <typename Op>
bool hasRoomFor(Op op, graph::PadOp pad) {
  for (auto [i, size] : llvm::enumerate(op.getWindow()))
    if (op.getPaddingLow()[i] + pad.getLow()[i + 1] >= size ||
        op.getPaddingHigh()[i] + pad.getHigh()[i + 1] >= size)
      return false;
  return true;
}

/// The pad that makes the images of `op`, of nothing but a margin of zeros.
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

/// A margin of zeros is what a convolution pads with.
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

/// A pool of the greatest pads with what never wins. A margin that wins over no
/// element is the same, as each window has an element: its padding is below
/// its size.
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
  /// Whether the margin is of the lowest value, or of zeros around elements
  /// that are not below.
  static bool neverWins(graph::PadOp pad) {
    if (isZero(pad.getValue()))
      return isa_and_nonnull<graph::ReluOp, graph::Relu6Op, graph::AbsOp>(
                 pad.getX().getDefiningOp()) &&
             isa<FloatType>(getElementTypeOrSelf(pad.getX()));
    return matchPattern(pad.getValue(), m_NegInfFloat());
  }
};

/// A mean counts a margin of zeros as elements, and so all that it pads with.
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
} // namespace weir
