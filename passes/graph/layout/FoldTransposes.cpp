// Moves transposes down and merges them.
//
// op(transpose(x, p)) is transpose(op(x), p), and transpose(transpose(x, p), q)
// is transpose(x, p[q]). A transpose by the identity is x. A reshape between
// two transposes moves behind them if it only splits or merges dimensions. A
// product reads transposed matrices directly.

#include "passes/graph/Passes.h"
#include "passes/graph/layout/Transposes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "weir-fold-transposes"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_FOLDTRANSPOSES
#include "passes/graph/Passes.h.inc"

namespace {

using layout::isFree;
using layout::isIdentity;
using layout::permuted;
using layout::rebuild;
using layout::unpermuted;
using layout::untransposed;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether the permutation only swaps the last two dimensions.
bool exchangesMatrices(ArrayRef<int64_t> permutation) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, permutation.size()));
  if (order.size() < 2)
    return false;
  std::swap(order.back(), order[order.size() - 2]);
  return permutation == ArrayRef(order);
}

/// The permutation of all operands that are transposes. No value if two differ,
/// or if another operand cannot be transposed for free.
std::optional<SmallVector<int64_t>> commonPermutation(ValueRange operands) {
  TransposeOp first;
  for (Value operand : operands) {
    if (isFree(operand))
      continue;
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose ||
        (first && first.getPermutation() != transpose.getPermutation()))
      return std::nullopt;
    first = transpose;
  }
  if (!first)
    return std::nullopt;
  return SmallVector<int64_t>(first.getPermutation());
}

/// An op whose operands all have the result's shape, or a concat.
struct SinkThroughElementwise : RewritePattern {
  explicit SinkThroughElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto concat = dyn_cast<graph::ConcatOp>(op);
    if (!concat && !isa<graph::ScalarOpInterface>(op))
      return rewriter.notifyMatchFailure(op,
                                         "neither elementwise nor a concat");
    auto permutation = commonPermutation(op->getOperands());
    if (!permutation)
      return rewriter.notifyMatchFailure(op, "operands differ in permutation");
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(untransposed(rewriter, operand, *permutation));
    Operation *inner = rebuild(rewriter, op, operands, *permutation);
    if (concat)
      cast<graph::ConcatOp>(inner).setAxis((*permutation)[concat.getAxis()]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner->getResult(0),
                                             *permutation);
    return success();
  }
};

template <typename Op>
struct SinkThrough : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getX().template getDefiningOp<TransposeOp>();
    if (!transpose || isFree(transpose) || !keepsRank(op))
      return rewriter.notifyMatchFailure(
          op, "no transpose worth moving makes its operand");
    SmallVector<int64_t> permutation(transpose.getPermutation());
    SmallVector<Value> operands(op->getOperands());
    operands[0] = transpose.getX();
    Operation *inner = rebuild(rewriter, op, operands, permutation);
    turn(cast<Op>(inner), permutation);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner->getResult(0),
                                             permutation);
    return success();
  }

private:
  static bool keepsRank(Operation *) { return true; }
  static bool keepsRank(graph::GatherOp op) {
    return op.getBatchDims() == 0 && op.getIndices().getType().getRank() == 1;
  }
  static void turn(graph::GatherOp op, ArrayRef<int64_t> permutation) {
    op.setAxis(permutation[op.getAxis()]);
  }
  static void turn(graph::SliceOp op, ArrayRef<int64_t> permutation) {
    op.setStarts(unpermuted(op.getStarts(), permutation));
    op.setLimits(unpermuted(op.getLimits(), permutation));
    op.setStrides(unpermuted(op.getStrides(), permutation));
  }
  static void turn(graph::PadOp op, ArrayRef<int64_t> permutation) {
    op.setLow(unpermuted(op.getLow(), permutation));
    op.setHigh(unpermuted(op.getHigh(), permutation));
    op.setInterior(unpermuted(op.getInterior(), permutation));
  }
  static void turn(graph::FillBeyondOp op, ArrayRef<int64_t> permutation) {
    op.setDim(permutation[op.getDim()]);
  }
  static void turn(graph::ReverseOp op, ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> dims = permuted(permutation, op.getDims());
    llvm::sort(dims);
    op.setDims(dims);
  }
};

/// The remaining dimensions keep their order, transposed.
template <typename Op>
struct SinkThroughReduce : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getX().template getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "no transpose makes its operand");
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    SmallVector<int64_t> dims = permuted(permutation, op.getDimensions());
    llvm::sort(dims);
    auto inner = rewriter.create<Op>(op.getLoc(), transpose.getX(), dims);
    // For each dimension of the outer result, its dimension in the inner one.
    SmallVector<int64_t> remaining;
    for (auto [i, dim] : llvm::enumerate(permutation)) {
      if (llvm::is_contained(dims, dim))
        continue;
      int64_t before = llvm::count_if(
          dims, [d = dim](int64_t reduced) { return reduced < d; });
      remaining.push_back(dim - before);
    }
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner.getResult(), remaining);
    return success();
  }
};

struct ComposeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern<TransposeOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (isIdentity(op.getPermutation())) {
      rewriter.replaceOp(op, op.getX());
      return success();
    }
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no transpose makes its operand");
    rewriter.replaceOpWithNewOp<TransposeOp>(
        op, inner.getX(),
        permuted(inner.getPermutation(), op.getPermutation()));
    return success();
  }
};

/// The dimensions of `split` that come from each dimension of `whole`. No value
/// unless the reshape only splits dimensions.
std::optional<SmallVector<ReassociationIndices>> partsOf(Value whole,
                                                         Value split) {
  int64_t rank = typeOf(whole).getRank();
  if (rank == 0 || rank > typeOf(split).getRank())
    return std::nullopt;
  return getReassociationIndicesForReshape(typeOf(whole), typeOf(split));
}

/// Expands an order of groups of dimensions to an order of the dimensions.
SmallVector<int64_t> ofParts(ArrayRef<ReassociationIndices> parts,
                             ArrayRef<int64_t> order) {
  SmallVector<int64_t> result;
  for (int64_t group : order)
    llvm::append_range(result, parts[group]);
  return result;
}

/// Whether a product can read the operand of this transpose directly.
bool isTakenByProduct(TransposeOp op) {
  return exchangesMatrices(op.getPermutation()) &&
         llvm::any_of(op->getUsers(), [&](Operation *user) {
           auto product = dyn_cast<graph::MatmulOp>(user);
           return product && product.getB() == op.getResult();
         });
}

/// The reshape between this transpose and another one, if it has no other user
/// and they can merge; or null.
graph::ReshapeOp reshapeBetween(TransposeOp op) {
  auto reshape = op.getX().getDefiningOp<graph::ReshapeOp>();
  auto inner = reshape ? reshape.getX().getDefiningOp<TransposeOp>() : nullptr;
  bool moves = inner && inner->hasOneUse() && reshape->hasOneUse() &&
               !isTakenByProduct(op);
  return moves ? reshape : nullptr;
}

/// transpose(split(transpose(x))) is transpose(transpose(split(x))), and
/// transpose(join(transpose(x))) is join(transpose(transpose(x))).
struct MoveReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern<TransposeOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    graph::ReshapeOp reshape = reshapeBetween(op);
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "no reshape to move");
    auto inner = reshape.getX().getDefiningOp<TransposeOp>();
    if (auto parts = partsOf(inner, reshape)) {
      beforeBoth(rewriter, op, reshape, inner, *parts);
      return success();
    }
    auto parts = partsOf(reshape, inner);
    if (!parts)
      return rewriter.notifyMatchFailure(op, "it splits and joins dimensions");
    Value turned = rewriter.create<TransposeOp>(
        op.getLoc(), inner, ofParts(*parts, op.getPermutation()));
    rewriter.replaceOpWithNewOp<graph::ReshapeOp>(op, op.getType(), turned);
    return success();
  }

private:
  static void beforeBoth(PatternRewriter &rewriter, TransposeOp op,
                         graph::ReshapeOp reshape, TransposeOp inner,
                         ArrayRef<ReassociationIndices> parts) {
    // The split dimensions in the order before the transpose.
    SmallVector<int64_t> shape, order(parts.size());
    SmallVector<ReassociationIndices> before(parts.size());
    for (auto [i, dim] : llvm::enumerate(inner.getPermutation()))
      order[dim] = i;
    for (auto [dim, i] : llvm::enumerate(order))
      for (int64_t part : parts[i]) {
        before[dim].push_back(shape.size());
        shape.push_back(typeOf(reshape).getDimSize(part));
      }
    Value split = rewriter.create<graph::ReshapeOp>(
        reshape.getLoc(), op.getType().clone(shape), inner.getX());
    Value turned = rewriter.create<TransposeOp>(
        inner.getLoc(), split, ofParts(before, inner.getPermutation()));
    rewriter.replaceOpWithNewOp<TransposeOp>(op, turned, op.getPermutation());
  }
};

/// A product reads its right operand transposed or not. A constant is
/// transposed at compile time.
struct FoldIntoProduct : OpRewritePattern<graph::MatmulOp> {
  using OpRewritePattern<graph::MatmulOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getB().getDefiningOp<TransposeOp>();
    if (!transpose || isFree(transpose))
      return rewriter.notifyMatchFailure(
          op, "no transpose that moves elements makes its operand");
    if (!exchangesMatrices(transpose.getPermutation()))
      return rewriter.notifyMatchFailure(op, "not of matrices alone");
    rewriter.modifyOpInPlace(op, [&] {
      op.getBMutable().assign(transpose.getX());
      op.setTransposeB(!op.getTransposeB());
    });
    return success();
  }
};

struct FoldTransposes : impl::FoldTransposesBase<FoldTransposes> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<SinkThroughElementwise, ComposeTransposes, MoveReshape,
                 FoldIntoProduct, SinkThrough<graph::SliceOp>,
                 SinkThrough<graph::PadOp>, SinkThrough<graph::ReverseOp>,
                 SinkThrough<graph::GatherOp>, SinkThrough<graph::FillBeyondOp>,
                 SinkThroughReduce<graph::ReduceSumOp>,
                 SinkThroughReduce<graph::ReduceProdOp>,
                 SinkThroughReduce<graph::ReduceMaxOp>,
                 SinkThroughReduce<graph::ReduceMinOp>,
                 SinkThroughReduce<graph::ReduceAndOp>,
                 SinkThroughReduce<graph::ReduceOrOp>>(context);
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                            config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::graph
