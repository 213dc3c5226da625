// Lowers graph.compact and graph.spread to loops over runs: the elements from
// the last dynamic dimension on lie next to each other on both sides.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir {
namespace {

/// The shape of a padded buffer as runs: the dimensions before the last dynamic
/// one, and that one with those behind it.
struct Runs {
  SmallVector<int64_t> shape;
  int64_t inner = 1; // elements behind the last dynamic dimension

  Runs(ArrayRef<int64_t> all, ArrayRef<int64_t> dims) {
    size_t last = dims.empty() ? 0 : dims.back();
    shape.assign(all.begin(), all.begin() + std::min(last, all.size()));
    for (size_t d = last + 1; d < all.size(); ++d)
      inner *= all[d];
    shape.push_back(all.empty() ? 1 : all[last] * inner);
  }
};

template <typename Op>
struct LowerCorner : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename Op::Adaptor;
  static constexpr bool compacts = std::is_same_v<Op, graph::CompactOp>;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    int64_t count = type.getNumElements();
    if (count == 0 || op.getDims().empty()) {
      b.replaceOp(op, copyTensor(b, loc, adaptor.getX()));
      return success();
    }
    Runs runs(type.getShape(), op.getDims());
    SmallVector<Value> ends = endsOf(op, adaptor, runs, b);
    SmallVector<int64_t> flat{count};
    Value from = shaped(b, loc, adaptor.getX(), compacts ? runs.shape : flat);
    auto to = type.clone(compacts ? ArrayRef<int64_t>(flat)
                                  : ArrayRef<int64_t>(runs.shape));
    Value result = emptyTensor(
        b, loc, cast<RankedTensorType>(from.getType()).clone(to.getShape()));
    if (op.getZeros()) {
      Value zero = b.create<arith::ConstantOp>(
          loc, b.getZeroAttr(getElementTypeOrSelf(from.getType())));
      result = b.create<linalg::FillOp>(loc, zero, result).getResult(0);
    }
    result = copyRuns(b, loc, from, result, ends);
    b.replaceOp(op, shaped(b, loc, result, type.getShape()));
    return success();
  }

  /// How far each loop over the runs' shape goes.
  static SmallVector<Value> endsOf(Op op, Adaptor adaptor, const Runs &runs,
                                   OpBuilder &b) {
    Location loc = op.getLoc();
    ArrayRef<int64_t> shape = op.getType().getShape();
    SmallVector<Value> ends;
    for (size_t d = 0; d < runs.shape.size(); ++d)
      ends.push_back(b.create<arith::ConstantIndexOp>(loc, shape[d]));
    for (auto [dim, size] : llvm::zip_equal(op.getDims(), adaptor.getSizes())) {
      Value number = b.create<tensor::ExtractOp>(loc, size, ValueRange());
      number = b.create<arith::IndexCastOp>(loc, b.getIndexType(), number);
      Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
      number = b.create<arith::MaxSIOp>(loc, number, zero);
      ends[dim] = b.create<arith::MinSIOp>(loc, number, ends[dim]);
    }
    if (runs.inner != 1)
      ends.back() = b.create<arith::MulIOp>(
          loc, ends.back(), b.create<arith::ConstantIndexOp>(loc, runs.inner));
    return ends;
  }

  static Value shaped(OpBuilder &b, Location loc, Value value,
                      ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getShape() == shape)
      return value;
    if (shape.size() == 1 || type.getRank() == 1) {
      bool collapses = shape.size() == 1;
      SmallVector<ReassociationIndices> all(1);
      size_t rank = collapses ? type.getRank() : shape.size();
      all[0] = llvm::to_vector<2>(llvm::seq<int64_t>(0, rank));
      if (rank == 0)
        all.clear();
      if (collapses)
        return b.create<tensor::CollapseShapeOp>(loc, type.clone(shape), value,
                                                 all);
      return b.create<tensor::ExpandShapeOp>(loc, type.clone(shape), value,
                                             all);
    }
    Value flat = shaped(b, loc, value, {type.getNumElements()});
    return shaped(b, loc, flat, shape);
  }

  static Value copyRuns(OpBuilder &b, Location loc, Value from, Value to,
                        ArrayRef<Value> ends) {
    Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
    Value one = b.create<arith::ConstantIndexOp>(loc, 1);
    SmallVector<Value> begins(ends.size(), zero), steps(ends.size(), one);
    scf::LoopNest nest = scf::buildLoopNest(
        b, loc, begins, ends, steps, to,
        [&](OpBuilder &b, Location loc, ValueRange at, ValueRange carried) {
          Value place = at.front();
          for (size_t d = 1; d < ends.size(); ++d)
            place = b.create<arith::AddIOp>(
                loc, b.create<arith::MulIOp>(loc, place, ends[d]), at[d]);
          ValueRange flat(place);
          Value element =
              b.create<tensor::ExtractOp>(loc, from, compacts ? at : flat);
          Value next = b.create<tensor::InsertOp>(loc, element, carried[0],
                                                  compacts ? flat : at);
          return scf::ValueVector{next};
        });
    return nest.results.front();
  }
};

} // namespace

void addCornerPatterns(const TypeConverter &converter,
                       RewritePatternSet &patterns) {
  patterns.add<LowerCorner<graph::CompactOp>, LowerCorner<graph::SpreadOp>>(
      converter, patterns.getContext());
}

} // namespace weir
