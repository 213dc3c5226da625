// Moves transposes up where fewer elements are transposed: transpose(op(x)) is
// op(transpose(x)). A transpose also moves before the padding beyond a run-time
// size is filled.

#include "passes/graph/Passes.h"
#include "passes/graph/layout/Transposes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "weir-hoist-transposes"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_HOISTTRANSPOSES
#include "passes/graph/Passes.h.inc"

namespace {

int64_t countOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// A tree of elementwise ops with single users, and gathers along one dimension
/// before them.
class Cone {
public:
  explicit Cone(Value result) { visit(result); }

  /// Whether its inputs have at most half of `count` elements.
  bool shrinks(int64_t count) const {
    int64_t elements = 0;
    for (Value source : sources)
      elements += countOf(source);
    return !ops.empty() && elements <= count / 2;
  }

  /// Clones the tree with its inputs transposed.
  Value rebuild(PatternRewriter &b, ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> inverse = layout::inverse(permutation);
    IRMapping turned;
    auto turnedOf = [&](Value value) {
      if (!turned.contains(value))
        turned.map(value, layout::untransposed(b, value, inverse));
      return turned.lookup(value);
    };
    for (Operation *op : ops) {
      SmallVector<Value> operands(op->getOperands());
      auto gather = dyn_cast<GatherOp>(op);
      for (Value &operand :
           MutableArrayRef(operands).take_front(gather ? 1 : operands.size()))
        operand = turnedOf(operand);
      Operation *other = layout::rebuild(b, op, operands, inverse);
      if (gather)
        cast<GatherOp>(other).setAxis(inverse[gather.getAxis()]);
      turned.map(op->getResult(0), other->getResult(0));
    }
    return turned.lookup(ops.back()->getResult(0));
  }

private:
  void visit(Value value) {
    Operation *op = value.getDefiningOp();
    if (layout::isFree(value) || llvm::is_contained(ops, op))
      return;
    bool isOwn = op && value.hasOneUse();
    auto gather = isOwn ? dyn_cast<GatherOp>(op) : nullptr;
    if (gather && gather.getBatchDims() == 0 &&
        gather.getIndices().getType().getRank() == 1) {
      sources.insert(gather.getX());
    } else if (isOwn && isa<graph::ScalarOpInterface>(op)) {
      for (Value operand : op->getOperands())
        visit(operand);
    } else {
      sources.insert(value);
      return;
    }
    ops.push_back(op);
  }

  SmallVector<Operation *> ops; // in the order of definitions
  llvm::SetVector<Value> sources;
};

struct HoistTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &b) const override {
    Cone cone(op.getX());
    if (!cone.shrinks(countOf(op)))
      return b.notifyMatchFailure(op, "as much would be transposed before");
    b.replaceOp(op, cone.rebuild(b, op.getPermutation()));
    return success();
  }
};

/// In the layout for windows, the padding beyond the run-time size is adjacent
/// to elements that are read. The transpose itself stops at the run-time size.
struct HoistBeforeFill : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &b) const override {
    auto fill = op.getX().getDefiningOp<graph::FillBeyondOp>();
    if (!fill || !fill->hasOneUse())
      return b.notifyMatchFailure(op, "no fill with one use makes its operand");
    SmallVector<int64_t> inverse = layout::inverse(op.getPermutation());
    SmallVector<Value> operands(fill->getOperands());
    operands[0] =
        b.create<TransposeOp>(op.getLoc(), fill.getX(), op.getPermutation());
    auto turned =
        cast<graph::FillBeyondOp>(layout::rebuild(b, fill, operands, inverse));
    turned.setDim(inverse[fill.getDim()]);
    b.replaceOp(op, turned);
    return success();
  }
};

/// Whether rows are whole vectors, as register transpose blocks need.
bool isWide(RankedTensorType type) {
  constexpr int64_t minRow = 8;
  return type.getShape().back() >= minRow;
}

/// Reads, or writes, the compact elements in transposed order.
struct FoldIntoSpread : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &b) const override {
    auto spread = op.getX().getDefiningOp<graph::SpreadOp>();
    if (!spread || !spread->hasOneUse() || spread.getZeros() ||
        !spread.getPermutation().empty() || !isWide(op.getType()))
      return b.notifyMatchFailure(
          op, "no plain spread of wide rows makes its operand");
    SmallVector<int64_t> inverse = layout::inverse(op.getPermutation());
    auto turned = cast<graph::SpreadOp>(
        layout::rebuild(b, spread, spread->getOperands(), inverse));
    turned.setPermutation(op.getPermutation());
    b.replaceOp(op, turned);
    return success();
  }
};

struct FoldIntoCompact : OpRewritePattern<graph::CompactOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::CompactOp op,
                                PatternRewriter &b) const override {
    auto transpose = op.getX().getDefiningOp<TransposeOp>();
    if (!transpose || !transpose->hasOneUse() || op.getZeros() ||
        !op.getPermutation().empty() || !isWide(transpose.getX().getType()))
      return b.notifyMatchFailure(
          op, "no transpose of wide rows makes its operand");
    b.modifyOpInPlace(op, [&] {
      op.getXMutable().assign(transpose.getX());
      op.setPermutation(transpose.getPermutation());
    });
    return success();
  }
};

struct HoistTransposes : impl::HoistTransposesBase<HoistTransposes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<HoistTranspose, HoistBeforeFill>(&getContext());
    // A GPU copies to a padded buffer in the same order only.
    if (!attrs::gpu.isOn(getOperation()))
      patterns.add<FoldIntoSpread, FoldIntoCompact>(&getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::graph
