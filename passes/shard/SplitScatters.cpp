// Lets ranks add updates to their own rows alone.

#include "passes/shard/SplitScatters.h"

#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Records.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::shard {
namespace {

/// Whether each element is its index along the first dimension, from `first`
/// on.
bool countsRows(Attribute value, int64_t first) {
  auto numbers = dyn_cast<DenseIntElementsAttr>(value);
  if (!numbers || numbers.empty())
    return false;
  int64_t row = numbers.getNumElements() / numbers.getType().getShape().front();
  return llvm::all_of(llvm::enumerate(numbers), [&](auto number) {
    int64_t index = first + static_cast<int64_t>(number.index()) / row;
    return number.value() == static_cast<uint64_t>(index);
  });
}

/// Whether the elements are the numbers of this rank's rows, of those that are
/// divided by `axes`.
bool areOwnRows(Value value, ArrayAttr axes) {
  Attribute all;
  if (auto own = value.getDefiningOp<graph::OwnPartOp>()) {
    if (own.getAlong() != 0 || own.getAxes() != axes)
      return false;
    auto iota = own.getX().getDefiningOp<graph::IotaOp>();
    return (iota && iota.getAxis() == 0) ||
           (matchPattern(own.getX(), m_Constant(&all)) && countsRows(all, 0));
  }
  // A constant of few numbers is divided among ranks.
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  auto parts =
      constant ? dyn_cast<PartsAttr>(constant.getValue()) : PartsAttr();
  if (!parts || parts.getAxes() != MeshAttr::of(constant).bitsOf(axes))
    return false;
  int64_t rows = parts.getType().getDimSize(0);
  return llvm::all_of(llvm::enumerate(PartsAttr::of(parts)), [&](auto part) {
    return countsRows(part.value(), static_cast<int64_t>(part.index()) * rows);
  });
}

/// The type of the numbers of this rank's rows, if they are the first index of
/// each vector, as in the gradient of a max pooling; else null.
RankedTensorType rowsOf(graph::ConcatOp indices, ArrayAttr axes) {
  Value first = indices.getInputs().front();
  auto type = cast<RankedTensorType>(first.getType());
  bool isIndex = type.getRank() > 1 && type.getShape().back() == 1 &&
                 static_cast<int64_t>(indices.getAxis()) == type.getRank() - 1;
  return isIndex && areOwnRows(first, axes) ? type : RankedTensorType();
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
    RankedTensorType rows =
        indices ? rowsOf(indices, op.getAxes()) : RankedTensorType();
    if (!rows || op.getAlong() != 0 ||
        scatter.getCombiner() != graph::Combiner::add ||
        rows.getDimSize(0) != op.getType().getShape().front() ||
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
    vectors.front() = rewriter.create<graph::IotaOp>(indices.getLoc(), rows, 0);
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
