// Lowers graph.compact and graph.spread to loops over runs: the elements from
// the last dynamic dimension on lie next to each other on both sides.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir {
namespace {

template <typename Op>
struct LowerCorner : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename Op::Adaptor;
  static constexpr bool compacts = std::is_same_v<Op, graph::CompactOp>;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto from = cast<RankedTensorType>(adaptor.getX().getType());
    Value result = emptyTensor(b, loc, from.clone(op.getType().getShape()));
    if (op.getZeros()) {
      Value zero = b.create<arith::ConstantOp>(
          loc, b.getZeroAttr(from.getElementType()));
      result = b.create<linalg::FillOp>(loc, zero, result).getResult(0);
    }
    if (op.getType().getNumElements() != 0)
      result = copyAll(op, adaptor, result, b);
    b.replaceOp(op, result);
    return success();
  }

  /// How far each loop over the padded buffer goes.
  static SmallVector<Value> endsOf(Op op, Adaptor adaptor, OpBuilder &b) {
    Location loc = op.getLoc();
    SmallVector<Value> ends;
    RankedTensorType padded = compacts ? op.getX().getType() : op.getType();
    for (int64_t size : padded.getShape())
      ends.push_back(b.create<arith::ConstantIndexOp>(loc, size));
    for (auto [dim, size] : llvm::zip_equal(op.getDims(), adaptor.getSizes())) {
      Value number = b.create<tensor::ExtractOp>(loc, size, ValueRange());
      number = b.create<arith::IndexCastOp>(loc, b.getIndexType(), number);
      Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
      number = b.create<arith::MaxSIOp>(loc, number, zero);
      ends[dim] = b.create<arith::MinSIOp>(loc, number, ends[dim]);
    }
    return ends;
  }

  static Value copyAll(Op op, Adaptor adaptor, Value to, OpBuilder &b) {
    Location loc = op.getLoc();
    SmallVector<Value> ends = endsOf(op, adaptor, b);
    Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
    Value one = b.create<arith::ConstantIndexOp>(loc, 1);
    SmallVector<Value> begins(ends.size(), zero), steps(ends.size(), one);
    auto copy = [&](OpBuilder &b, Location loc, ValueRange at,
                    ValueRange carried) -> scf::ValueVector {
      Value place = at.empty() ? zero : at.front();
      for (size_t d = 1; d < ends.size(); ++d)
        place = b.create<arith::AddIOp>(
            loc, b.create<arith::MulIOp>(loc, place, ends[d]), at[d]);
      ValueRange flat(place);
      Value element = b.create<tensor::ExtractOp>(loc, adaptor.getX(),
                                                  compacts ? at : flat);
      return {b.create<tensor::InsertOp>(loc, element, carried[0],
                                         compacts ? flat : at)};
    };
    if (ends.empty())
      return copy(b, loc, {}, to).front();
    return scf::buildLoopNest(b, loc, begins, ends, steps, to, copy)
        .results.front();
  }
};

} // namespace

void addCornerPatterns(const TypeConverter &converter,
                       RewritePatternSet &patterns) {
  patterns.add<LowerCorner<graph::CompactOp>, LowerCorner<graph::SpreadOp>>(
      converter, patterns.getContext());
}

} // namespace weir
