// Removes what rules of derivatives leave: factors of one, double signs,
// constants that only move. Makes gradients by filters convolutions.

#include "passes/grad/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "dialects/libraries/FilterGradients.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "weir-simplify-gradients"

using namespace mlir;

namespace weir::grad {
#define GEN_PASS_DEF_SIMPLIFYGRADIENTS
#include "passes/grad/Passes.h.inc"

namespace {

/// The value of a splat constant of floats.
std::optional<APFloat> floatSplat(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

template <typename Op>
struct DropFactorOne : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    constexpr bool commutes = std::is_same_v<Op, graph::MulOp>;
    for (unsigned i : {1, 0}) {
      std::optional<APFloat> factor = floatSplat(op->getOperand(i));
      if (factor && factor->isExactlyValue(1.0) && (i == 1 || commutes)) {
        rewriter.replaceOp(op, op->getOperand(1 - i));
        return success();
      }
      if (factor && factor->isExactlyValue(-1.0) && (i == 1 || commutes)) {
        rewriter.replaceOpWithNewOp<graph::NegOp>(op, op->getOperand(1 - i));
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no factor of one");
  }
};

struct DropTwoSigns : OpRewritePattern<graph::NegOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::NegOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<graph::NegOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "one sign");
    rewriter.replaceOp(op, inner.getX());
    return success();
  }
};

/// x + -y is x - y.
struct AddSign : OpRewritePattern<graph::AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::AddOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned i : {1, 0})
      if (auto negated = op->getOperand(i).getDefiningOp<graph::NegOp>()) {
        rewriter.replaceOpWithNewOp<graph::SubOp>(op, op->getOperand(1 - i),
                                                  negated.getX());
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no sign");
  }
};

/// Reshapes, transposes, slices and so on of splat constants of any size.
template <typename Op>
struct MoveSplat : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr elements;
    if (!matchPattern(op->getOperand(0), m_Constant(&elements)) ||
        !elements.isSplat())
      return rewriter.notifyMatchFailure(op, "no constant of one value");
    rewriter.replaceOpWithNewOp<graph::ConstantOp>(
        op, elements.resizeSplat(
                cast<RankedTensorType>(op->getResult(0).getType())));
    return success();
  }
};

struct SimplifyGradients : impl::SimplifyGradientsBase<SimplifyGradients> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<DropFactorOne<graph::MulOp>, DropFactorOne<graph::DivOp>,
            DropTwoSigns, AddSign, MoveSplat<graph::ReshapeOp>,
            MoveSplat<graph::TransposeOp>, MoveSplat<graph::BroadcastOp>,
            MoveSplat<graph::SliceOp>, MoveSplat<graph::ReverseOp>>(context);
    Dialect *dialect = context->getLoadedDialect<graph::GraphDialect>();
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (&op.getDialect() == dialect)
        op.getCanonicalizationPatterns(set, context);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(libraries::expandFilterGradients(function)))
      return signalPassFailure();
    if (!attrs::differentiated.remove(function))
      return;
    DominanceInfo dominance;
    IRRewriter rewriter(&getContext());
    eliminateCommonSubExpressions(rewriter, dominance, function);
    if (failed(applyPatternsAndFoldGreedily(function, patterns)))
      return signalPassFailure();
    eliminateCommonSubExpressions(rewriter, dominance, function);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace weir::grad
