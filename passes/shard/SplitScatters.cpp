// Lets ranks add updates to their own rows alone.

#include "passes/shard/SplitScatters.h"

#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::shard {
namespace {

/// Whether each element is its index along the first dimension.
bool countsRows(Value value) {
  if (auto iota = value.getDefiningOp<graph::IotaOp>())
    return iota.getAxis() == 0;
  DenseIntElementsAttr numbers; // an iota of few elements is one
  if (!matchPattern(value, m_Constant(&numbers)) || numbers.empty())
    return false;
  int64_t row = numbers.getNumElements() / numbers.getType().getShape().front();
  return llvm::all_of(llvm::enumerate(numbers), [&](auto number) {
    return number.value() == static_cast<uint64_t>(number.index() / row);
  });
}

/// The numbers of this rank's rows, if the first index of each vector is that
/// of its row, as in the gradient of a max pooling; else null.
graph::OwnPartOp rowsOf(graph::ConcatOp indices, ArrayAttr axes) {
  auto rank = cast<RankedTensorType>(indices.getType()).getRank();
  auto own = indices.getInputs().front().getDefiningOp<graph::OwnPartOp>();
  bool isRow = own && rank > 1 && own.getAlong() == 0 &&
               own.getAxes() == axes && countsRows(own.getX()) &&
               static_cast<int64_t>(indices.getAxis()) == rank - 1 &&
               own.getType().getShape().back() == 1;
  return isRow ? own : nullptr;
}

/// Ranks have the updates of their own rows of zeros. So the sum of all ranks
/// is what the rank itself has.
struct ScatterToOwnRows : OpRewritePattern<graph::ReduceScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ReduceScatterOp op,
                                PatternRewriter &rewriter) const override {
    auto scatter = op.getX().getDefiningOp<graph::ScatterOp>();
    auto indices = scatter
                       ? scatter.getIndices().getDefiningOp<graph::ConcatOp>()
                       : graph::ConcatOp();
    graph::OwnPartOp rows =
        indices ? rowsOf(indices, op.getAxes()) : graph::OwnPartOp();
    if (!rows || op.getAlong() != 0 ||
        scatter.getCombiner() != graph::Combiner::add ||
        rows.getX().getType().getShape().front() !=
            scatter.getX().getType().getShape().front() ||
        !(matchPattern(scatter.getX(), m_AnyZeroFloat()) ||
          matchPattern(scatter.getX(), m_Zero())))
      return rewriter.notifyMatchFailure(op,
                                         "ranks add updates to rows of others");
    auto type = cast<RankedTensorType>(op.getType());
    Value zeros = rewriter.create<graph::ConstantOp>(
        scatter.getX().getLoc(),
        DenseElementsAttr::get(type,
                               rewriter.getZeroAttr(type.getElementType())));
    SmallVector<Value> vectors(indices.getInputs());
    vectors.front() =
        rewriter.create<graph::IotaOp>(rows.getLoc(), rows.getType(), 0);
    Value own = rewriter.create<graph::ConcatOp>(indices.getLoc(), vectors,
                                                 indices.getAxis());
    rewriter.replaceOpWithNewOp<graph::ScatterOp>(
        op, zeros, own, scatter.getUpdates(), graph::Combiner::add);
    return success();
  }
};

} // namespace

void addScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<ScatterToOwnRows>(patterns.getContext());
}

} // namespace weir::shard
