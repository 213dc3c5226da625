// Lowers the ops of family Shape. Where the way of each element is an affine
// map, a linalg.generic that fuses with its neighbours; where parts of tensors
// move whole, slices that bufferize to views.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Shape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace weir::lower {

Value copyTensor(OpBuilder &b, Location loc, Value value) {
  Value init = emptyTensor(b, loc, value.getType());
  return b.create<linalg::CopyOp>(loc, value, init).getResult(0);
}

Value reshapeTensor(OpBuilder &b, Location loc, Value value,
                    ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  RankedTensorType to = from.clone(shape);
  if (from == to)
    return value;
  if (to.getNumElements() == 0)
    return emptyTensor(b, loc, to);
  if (std::optional<SmallVector<ReassociationIndices>> groups =
          getReassociationIndicesForReshape(from, to)) {
    if (from.getRank() > to.getRank())
      return b.create<tensor::CollapseShapeOp>(loc, to, value, *groups);
    return b.create<tensor::ExpandShapeOp>(loc, to, value, *groups);
  }
  auto all = [](RankedTensorType type) {
    auto range = llvm::seq<int64_t>(0, type.getRank());
    ReassociationIndices dims(range.begin(), range.end());
    return SmallVector<ReassociationIndices>{dims};
  };
  RankedTensorType flat = from.clone({from.getNumElements()});
  value = b.create<tensor::CollapseShapeOp>(loc, flat, value, all(from));
  return b.create<tensor::ExpandShapeOp>(loc, to, value, all(to));
}

namespace {

SmallVector<OpFoldResult> staticIndices(OpBuilder &b,
                                        ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(b.getContext(), values);
}

struct LowerReshape : OpConversionPattern<graph::ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, reshapeTensor(rewriter, op.getLoc(), adaptor.getX(),
                                         op.getType().getShape()));
    return success();
  }
};

/// Each element of the result is the element of `x` at `map` of its indices. A
/// result without elements needs no loops.
Value moveElements(OpBuilder &b, Location loc, Type type, Value x,
                   AffineMap map) {
  Value init = emptyTensor(b, loc, type);
  auto result = cast<RankedTensorType>(type);
  int64_t rank = result.getRank();
  if (result.getNumElements() == 0)
    return init;
  return b
      .create<linalg::GenericOp>(
          loc, init.getType(), x, init,
          ArrayRef<AffineMap>{map, b.getMultiDimIdentityMap(rank)},
          parallelLoops(rank),
          [](OpBuilder &b, Location loc, ValueRange args) {
            b.create<linalg::YieldOp>(loc, args[0]);
          })
      .getResult(0);
}

struct LowerTranspose : OpConversionPattern<graph::TransposeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<unsigned> permutation(op.getPermutation());
    AffineMap map = AffineMap::get(0, 0, rewriter.getContext());
    if (!permutation.empty())
      map = inversePermutation(
          AffineMap::getPermutationMap(permutation, rewriter.getContext()));
    rewriter.replaceOp(op, moveElements(rewriter, op.getLoc(), op.getType(),
                                        adaptor.getX(), map));
    return success();
  }
};

struct LowerBroadcast : OpConversionPattern<graph::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType from = op.getX().getType(), to = op.getType();
    SmallVector<AffineExpr> exprs;
    for (auto [i, dim] : llvm::enumerate(op.getDims()))
      exprs.push_back(from.getDimSize(i) != to.getDimSize(dim)
                          ? rewriter.getAffineConstantExpr(0)
                          : rewriter.getAffineDimExpr(dim));
    AffineMap map =
        AffineMap::get(to.getRank(), 0, exprs, rewriter.getContext());
    rewriter.replaceOp(
        op, moveElements(rewriter, op.getLoc(), to, adaptor.getX(), map));
    return success();
  }
};

struct LowerSlice : OpConversionPattern<graph::SliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getType().getNumElements() == 0) {
      rewriter.replaceOp(op, emptyTensor(rewriter, op.getLoc(), op.getType()));
      return success();
    }
    // A stride that is never taken may be any.
    SmallVector<int64_t> strides(op.getStrides());
    for (auto [stride, size] :
         llvm::zip_equal(strides, op.getType().getShape()))
      stride = size == 1 ? 1 : stride;
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, adaptor.getX(), staticIndices(rewriter, op.getStarts()),
        staticIndices(rewriter, op.getType().getShape()),
        staticIndices(rewriter, strides));
    return success();
  }
};

struct LowerPad : OpConversionPattern<graph::PadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::PadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value scalar = rewriter.create<tensor::ExtractOp>(loc, adaptor.getValue());
    Value result = filledTensor(rewriter, loc, op.getType(), scalar);
    ArrayRef<int64_t> shape = op.getX().getType().getShape();
    if (op.getX().getType().getNumElements() != 0) {
      SmallVector<int64_t> strides;
      for (auto [gap, size] : llvm::zip_equal(op.getInterior(), shape))
        strides.push_back(size == 1 ? 1 : gap + 1);
      result = rewriter.create<tensor::InsertSliceOp>(
          loc, adaptor.getX(), result, staticIndices(rewriter, op.getLow()),
          staticIndices(rewriter, shape), staticIndices(rewriter, strides));
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerConcat : OpConversionPattern<graph::ConcatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::ConcatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value result = emptyTensor(rewriter, loc, op.getType());
    SmallVector<int64_t> offsets(op.getType().getRank()),
        strides(op.getType().getRank(), 1);
    for (Value input : adaptor.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType());
      if (type.getNumElements() != 0)
        result = rewriter.create<tensor::InsertSliceOp>(
            loc, input, result, staticIndices(rewriter, offsets),
            staticIndices(rewriter, type.getShape()),
            staticIndices(rewriter, strides));
      offsets[op.getAxis()] += type.getDimSize(op.getAxis());
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerReverse : OpConversionPattern<graph::ReverseOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::ReverseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto element = [&](OpBuilder &b, Location loc, ValueRange indices) {
      SmallVector<Value> at(indices);
      for (int64_t dim : op.getDims()) {
        Value last = b.create<arith::ConstantIndexOp>(
            loc, op.getType().getDimSize(dim) - 1);
        at[dim] = b.create<arith::SubIOp>(loc, last, at[dim]);
      }
      return b.create<tensor::ExtractOp>(loc, adaptor.getX(), at);
    };
    rewriter.replaceOp(
        op, generateTensor(rewriter, op.getLoc(), op.getType(), element));
    return success();
  }
};

struct LowerIota : OpConversionPattern<graph::IotaOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(graph::IotaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = graph::signless(op.getType().getElementType());
    auto element = [&](OpBuilder &b, Location loc,
                       ValueRange indices) -> Value {
      Value index = indices[op.getAxis()];
      if (!isa<FloatType>(type))
        return b.create<arith::IndexCastOp>(loc, type, index);
      Value integer = b.create<arith::IndexCastOp>(loc, b.getI64Type(), index);
      if (type.getIntOrFloatBitWidth() >= 32)
        return b.create<arith::SIToFPOp>(loc, type, integer);
      Value wide = b.create<arith::SIToFPOp>(loc, b.getF32Type(), integer);
      return b.create<arith::TruncFOp>(loc, type, wide);
    };
    rewriter.replaceOp(
        op, generateTensor(rewriter, op.getLoc(), op.getType(), element));
    return success();
  }
};

} // namespace

void addShapePatterns(const TypeConverter &converter,
                      RewritePatternSet &patterns) {
  patterns.add<LowerReshape, LowerTranspose, LowerBroadcast, LowerSlice,
               LowerPad, LowerConcat, LowerReverse, LowerIota>(
      converter, patterns.getContext());
}

} // namespace weir::lower
