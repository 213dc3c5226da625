// Lowers the ops of family Index that read by value: each index is clamped
// before it is used. What writes or orders: Scatter.cpp, Sort.cpp.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::lower {

Value clampIndex(OpBuilder &b, Location loc, Value integer, int64_t size) {
  Value index = b.create<arith::IndexCastOp>(loc, b.getIndexType(), integer);
  Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
  Value last =
      b.create<arith::ConstantIndexOp>(loc, std::max<int64_t>(size - 1, 0));
  index = b.create<arith::MaxSIOp>(loc, index, zero);
  return b.create<arith::MinSIOp>(loc, index, last);
}

namespace {

/// The starts of a box of `sizes`, moved so that it lies within `shape`.
SmallVector<OpFoldResult> clampStarts(OpBuilder &b, Location loc,
                                      ValueRange starts,
                                      ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> sizes) {
  SmallVector<OpFoldResult> indices;
  for (auto [start, whole, size] : llvm::zip_equal(starts, shape, sizes)) {
    Value integer = b.create<tensor::ExtractOp>(loc, start);
    indices.push_back(clampIndex(b, loc, integer, whole - size + 1));
  }
  return indices;
}

struct LowerGather : OpConversionPattern<graph::GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t rank = op.getType().getRank(), axis = op.getAxis(),
            batch = op.getBatchDims();
    int64_t count = op.getIndices().getType().getRank() - batch;
    ArrayRef<int64_t> shape = op.getX().getType().getShape();
    // Where in the result the dimensions of the indices are.
    SmallVector<AffineExpr> exprs;
    for (int64_t d = 0; d < batch + count; ++d)
      exprs.push_back(
          rewriter.getAffineDimExpr(d < batch ? d : d - batch + axis));
    AffineMap map = AffineMap::get(rank, 0, exprs, rewriter.getContext());
    Value init = emptyTensor(rewriter, loc, op.getType());
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, init.getType(), adaptor.getIndices(), init,
        ArrayRef<AffineMap>{map, rewriter.getMultiDimIdentityMap(rank)},
        parallelLoops(rank), [&](OpBuilder &b, Location loc, ValueRange args) {
          SmallVector<Value> at;
          for (int64_t d = 0, e = shape.size(); d < e; ++d)
            at.push_back(d == axis ? clampIndex(b, loc, args[0], shape[axis])
                                   : b.create<linalg::IndexOp>(
                                         loc, d < axis ? d : d - 1 + count));
          Value element = b.create<tensor::ExtractOp>(loc, adaptor.getX(), at);
          b.create<linalg::YieldOp>(loc, element);
        });
    return success();
  }
};

struct LowerGatherNd : OpConversionPattern<graph::GatherNdOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::GatherNdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = op.getX().getType().getShape(),
                      indexShape = op.getIndices().getType().getShape();
    int64_t batch = op.getBatchDims(), length = indexShape.back(),
            outer = indexShape.size() - 1;
    auto element = [&](OpBuilder &b, Location loc, ValueRange indices) {
      SmallVector<Value> at(indices.take_front(batch));
      for (int64_t k = 0; k < length; ++k) {
        SmallVector<Value> vector(indices.take_front(outer));
        vector.push_back(b.create<arith::ConstantIndexOp>(loc, k));
        Value index =
            b.create<tensor::ExtractOp>(loc, adaptor.getIndices(), vector);
        at.push_back(clampIndex(b, loc, index, shape[batch + k]));
      }
      llvm::append_range(at, indices.drop_front(outer));
      return b.create<tensor::ExtractOp>(loc, adaptor.getX(), at);
    };
    rewriter.replaceOp(
        op, generateTensor(rewriter, op.getLoc(), op.getType(), element));
    return success();
  }
};

struct LowerDynamicSlice : OpConversionPattern<graph::DynamicSliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::DynamicSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (op.getType().getNumElements() == 0) {
      rewriter.replaceOp(op, emptyTensor(rewriter, loc, op.getType()));
      return success();
    }
    ArrayRef<int64_t> sizes = op.getSizes();
    SmallVector<OpFoldResult> starts =
        clampStarts(rewriter, loc, adaptor.getStarts(),
                    op.getX().getType().getShape(), sizes);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, cast<RankedTensorType>(typeConverter->convertType(op.getType())),
        adaptor.getX(), starts,
        getAsIndexOpFoldResult(rewriter.getContext(), sizes),
        SmallVector<OpFoldResult>(sizes.size(), rewriter.getIndexAttr(1)));
    return success();
  }
};

struct LowerDynamicUpdateSlice
    : OpConversionPattern<graph::DynamicUpdateSliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::DynamicUpdateSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ArrayRef<int64_t> sizes = op.getUpdate().getType().getShape();
    SmallVector<OpFoldResult> starts = clampStarts(
        rewriter, loc, adaptor.getStarts(), op.getType().getShape(), sizes);
    Value copy = copyTensor(rewriter, loc, adaptor.getX());
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, adaptor.getUpdate(), copy, starts,
        getAsIndexOpFoldResult(rewriter.getContext(), sizes),
        SmallVector<OpFoldResult>(sizes.size(), rewriter.getIndexAttr(1)));
    return success();
  }
};

struct LowerOneHot : OpConversionPattern<graph::OneHotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::OneHotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t rank = op.getType().getRank(), axis = op.getAxis();
    SmallVector<AffineExpr> exprs;
    for (int64_t d = 0; d < rank; ++d)
      if (d != axis)
        exprs.push_back(rewriter.getAffineDimExpr(d));
    AffineMap map = AffineMap::get(rank, 0, exprs, rewriter.getContext());
    AffineMap scalar = AffineMap::get(rank, 0, rewriter.getContext());
    Value init = emptyTensor(rewriter, loc, op.getType());
    bool isUnsigned =
        op.getIndices().getType().getElementType().isUnsignedInteger();
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, init.getType(), adaptor.getOperands(), init,
        ArrayRef<AffineMap>{map, scalar, scalar,
                            rewriter.getMultiDimIdentityMap(rank)},
        parallelLoops(rank), [&](OpBuilder &b, Location loc, ValueRange args) {
          // All indices compare as i64: none wraps into the range.
          Value index = args[0],
                position = b.create<linalg::IndexOp>(loc, axis);
          Type i64 = b.getI64Type();
          position = b.create<arith::IndexCastOp>(loc, i64, position);
          if (index.getType() != i64 && isUnsigned)
            index = b.create<arith::ExtUIOp>(loc, i64, index);
          else if (index.getType() != i64)
            index = b.create<arith::ExtSIOp>(loc, i64, index);
          Value here = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                               index, position);
          Value element =
              b.create<arith::SelectOp>(loc, here, args[1], args[2]);
          b.create<linalg::YieldOp>(loc, element);
        });
    return success();
  }
};

struct LowerSearchSorted : OpConversionPattern<graph::SearchSortedOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::SearchSortedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type element = op.getSorted().getType().getElementType();
    int64_t count = op.getSorted().getType().getShape().back();
    // Whether the element of the row is before the place of the value.
    auto isBefore = [&](OpBuilder &b, Location loc, Value x, Value y) -> Value {
      if (isa<FloatType>(element))
        return b.create<arith::CmpFOp>(loc,
                                       op.getRight()
                                           ? arith::CmpFPredicate::OLE
                                           : arith::CmpFPredicate::OLT,
                                       x, y);
      using Predicate = arith::CmpIPredicate;
      bool isUnsigned = element.isUnsignedInteger();
      return b.create<arith::CmpIOp>(
          loc,
          op.getRight() ? (isUnsigned ? Predicate::ule : Predicate::sle)
                        : (isUnsigned ? Predicate::ult : Predicate::slt),
          x, y);
    };
    auto search = [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
      Value value =
          b.create<tensor::ExtractOp>(loc, adaptor.getValues(), indices);
      Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
      Value one = b.create<arith::ConstantIndexOp>(loc, 1);
      Value end = b.create<arith::ConstantIndexOp>(loc, count);
      Value last = b.create<arith::ConstantIndexOp>(
          loc, std::max<int64_t>(count - 1, 0));
      Value steps =
          b.create<arith::ConstantIndexOp>(loc, llvm::Log2_64_Ceil(count + 1));
      // f16 and bf16 elements the interval low .. high until it is empty.
      auto loop = b.create<scf::ForOp>(
          loc, zero, steps, one, ValueRange{zero, end},
          [&](OpBuilder &b, Location loc, Value, ValueRange range) {
            Value sum = b.create<arith::AddIOp>(loc, range[0], range[1]);
            Value middle = b.create<arith::ShRUIOp>(loc, sum, one);
            SmallVector<Value> at(indices.drop_back());
            at.push_back(b.create<arith::MinUIOp>(loc, middle, last));
            Value x = b.create<tensor::ExtractOp>(loc, adaptor.getSorted(), at);
            Value open = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                                 range[0], range[1]);
            Value up =
                b.create<arith::AndIOp>(loc, open, isBefore(b, loc, x, value));
            Value next = b.create<arith::AddIOp>(loc, middle, one);
            Value low = b.create<arith::SelectOp>(loc, up, next, range[0]);
            Value high = b.create<arith::SelectOp>(loc, up, range[1], middle);
            b.create<scf::YieldOp>(loc, ValueRange{low, high});
          });
      return b.create<arith::IndexCastOp>(loc, b.getI32Type(),
                                          loop.getResult(0));
    };
    if (count == 0) {
      Value zero = rewriter.create<arith::ConstantIntOp>(op.getLoc(), 0, 32);
      rewriter.replaceOp(
          op, filledTensor(rewriter, op.getLoc(), op.getType(), zero));
      return success();
    }
    rewriter.replaceOp(
        op, generateTensor(rewriter, op.getLoc(), op.getType(), search));
    return success();
  }
};

} // namespace

void addIndexPatterns(const TypeConverter &converter,
                      RewritePatternSet &patterns) {
  patterns.add<LowerGather, LowerGatherNd, LowerDynamicSlice,
               LowerDynamicUpdateSlice, LowerOneHot, LowerSearchSorted>(
      converter, patterns.getContext());
}

} // namespace weir::lower
