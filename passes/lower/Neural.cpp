// Lowers convolutions of any type and rank to generic contractions: right for
// all; those that a kernel takes are in Contractions.cpp.

#include "passes/lower/NeuralShared.h"

#include "dialects/graph/Neural.h"
#include "dialects/graph/build/Windows.h"
#include "dialects/kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::lower {

Type accumulatorType(Type type) {
  if (type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  return type;
}

Value zeroOf(OpBuilder &b, Location loc, Type type) {
  return b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
}

void buildEpilogue(OpBuilder &b, Location loc, Region &region, Type element) {
  OpBuilder::InsertionGuard guard(b);
  Type sum = kernel::sumType(element);
  Block *block = b.createBlock(&region, {}, {sum}, {loc});
  Value value = block->getArgument(0);
  if (sum != element)
    value = b.create<arith::TruncFOp>(loc, element, value);
  b.create<kernel::YieldOp>(loc, value);
}

Value convertFloat(OpBuilder &b, Location loc, Value scalar, Type type) {
  unsigned from = scalar.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return b.create<arith::ExtFOp>(loc, type, scalar);
  if (from > to)
    return b.create<arith::TruncFOp>(loc, type, scalar);
  return scalar;
}

Value convertElements(OpBuilder &b, Location loc, Value tensor,
                      RankedTensorType type) {
  if (tensor.getType() == type)
    return tensor;
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  auto generic = b.create<linalg::GenericOp>(
      loc, type, tensor, emptyTensor(b, loc, type), maps,
      parallelLoops(type.getRank()),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        b.create<linalg::YieldOp>(
            loc, convertFloat(b, loc, args[0], type.getElementType()));
      });
  return generic.getResult(0);
}

Value widenedBytes(OpBuilder &b, Location loc, Value tensor, bool isUnsigned) {
  auto type = cast<RankedTensorType>(tensor.getType());
  RankedTensorType wide = type.clone(b.getI32Type());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  auto generic = b.create<linalg::GenericOp>(
      loc, wide, tensor, emptyTensor(b, loc, wide), maps,
      parallelLoops(type.getRank()),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Type i32 = b.getI32Type();
        Value element =
            isUnsigned
                ? b.create<arith::ExtUIOp>(loc, i32, args[0]).getResult()
                : b.create<arith::ExtSIOp>(loc, i32, args[0]).getResult();
        b.create<linalg::YieldOp>(loc, element);
      });
  return generic.getResult(0);
}

Value padSpatial(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> low,
                 ArrayRef<int64_t> high, Value value) {
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return x;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes, strides(shape.size(), b.getIndexAttr(1));
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  for (size_t i = 0; i < low.size(); ++i) {
    shape[i + 1] += low[i] + high[i];
    offsets[i + 1] = b.getIndexAttr(low[i]);
  }
  Value border = filledTensor(b, loc, type.clone(shape), value);
  return b.create<tensor::InsertSliceOp>(loc, x, border, offsets, sizes,
                                         strides);
}

namespace {

/// Sums of products of `left` and `right` along the loops that `maps` (of
/// left, right and the result) leave out of the result.
Value contract(OpBuilder &b, Location loc, Value left, Value right,
               RankedTensorType type, ArrayRef<AffineMap> maps,
               ArrayRef<utils::IteratorType> loops) {
  Type sumType = accumulatorType(type.getElementType());
  auto sums = type.clone(sumType);
  Value zero = zeroOf(b, loc, sumType);
  auto generic = b.create<linalg::GenericOp>(
      loc, sums, ValueRange{left, right}, filledTensor(b, loc, sums, zero),
      maps, loops, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value sum;
        if (isa<FloatType>(sumType)) {
          Value x = convertFloat(b, loc, args[0], sumType);
          Value y = convertFloat(b, loc, args[1], sumType);
          sum = b.create<arith::AddFOp>(loc, args[2],
                                        b.create<arith::MulFOp>(loc, x, y));
        } else {
          sum = b.create<arith::AddIOp>(
              loc, args[2], b.create<arith::MulIOp>(loc, args[0], args[1]));
        }
        b.create<linalg::YieldOp>(loc, sum);
      });
  return convertElements(b, loc, generic.getResult(0), type);
}

/// Dimension `dim` of `x` as two dimensions, `outer` times the rest.
Value splitDimension(OpBuilder &b, Location loc, Value x, int64_t dim,
                     int64_t outer) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i)
    groups.push_back(i < dim    ? ReassociationIndices{i}
                     : i == dim ? ReassociationIndices{i, i + 1}
                                : ReassociationIndices{i + 1});
  shape[dim] /= outer;
  shape.insert(shape.begin() + dim, outer);
  return b.create<tensor::ExpandShapeOp>(loc, type.clone(shape), x, groups);
}

/// Loops: image, places..., group, channel; then window..., its channel.
struct LowerConvolution : OpConversionPattern<graph::ConvolutionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::ConvolutionOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(
        typeConverter->convertType(op.getResult().getType()));
    int64_t spatial = type.getRank() - 2;
    Value images = adaptor.getX(), filter = adaptor.getFilter();
    if (type.getElementType() != getElementTypeOrSelf(images)) {
      images = widenedBytes(b, loc, images, /*isUnsigned=*/true);
      filter = widenedBytes(b, loc, filter, /*isUnsigned=*/false);
    }
    auto groups = static_cast<int64_t>(op.getGroups());
    bool grouped = groups > 1;

    Value x =
        padSpatial(b, loc, images, op.getPaddingLow(), op.getPaddingHigh(),
                   zeroOf(b, loc, type.getElementType()));
    RankedTensorType sums = type;
    if (grouped) {
      x = splitDimension(b, loc, x, spatial + 1, groups);
      filter = splitDimension(b, loc, filter, spatial + 1, groups);
      SmallVector<int64_t> shape(type.getShape());
      shape.back() /= groups;
      shape.insert(shape.end() - 1, groups);
      sums = type.clone(shape);
    }

    int64_t count = 0;
    auto loop = [&] { return b.getAffineDimExpr(count++); };
    SmallVector<AffineExpr> xs{loop()}, ws, ys = xs;
    for (int64_t i = 0; i < spatial; ++i)
      ys.push_back(loop());
    AffineExpr group = grouped ? loop() : AffineExpr();
    if (grouped)
      ys.push_back(group);
    AffineExpr channel = loop();
    ys.push_back(channel);
    auto iterators = parallelLoops(count);
    for (int64_t i = 0; i < spatial; ++i) {
      ws.push_back(loop());
      xs.push_back(ys[i + 1] * op.getStrides()[i] +
                   ws.back() * op.getDilations()[i]);
    }
    AffineExpr inner = loop();
    if (grouped)
      xs.push_back(group);
    xs.push_back(inner);
    ws.push_back(inner);
    if (grouped)
      ws.push_back(group);
    ws.push_back(channel);
    iterators.append(count - iterators.size(), utils::IteratorType::reduction);

    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> exprs : {xs, ws, ys})
      maps.push_back(AffineMap::get(count, 0, exprs, b.getContext()));
    Value y = contract(b, loc, x, filter, sums, maps, iterators);
    if (grouped) {
      SmallVector<ReassociationIndices> joined;
      for (int64_t i = 0; i <= spatial; ++i)
        joined.push_back({i});
      joined.push_back({spatial + 1, spatial + 2});
      y = b.create<tensor::CollapseShapeOp>(loc, type, y, joined);
    }
    b.replaceOp(op, y);
    return success();
  }
};

/// Loops: group, channel of the results, window..., channel of the images; then
/// image, places....
struct LowerFilterGradient : OpConversionPattern<graph::FilterGradientOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::FilterGradientOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(
        typeConverter->convertType(op.getResult().getType()));
    int64_t spatial = type.getRank() - 2;
    auto groups = static_cast<int64_t>(op.getGroups());
    Value x = padSpatial(b, loc, adaptor.getX(), op.getPaddingLow(),
                         graph::build::windowsOf(op).high,
                         zeroOf(b, loc, type.getElementType()));
    x = splitDimension(b, loc, x, spatial + 1, groups);
    Value y = splitDimension(b, loc, adaptor.getResults(), spatial + 1, groups);

    int64_t count = 0;
    auto loop = [&] { return b.getAffineDimExpr(count++); };
    AffineExpr group = loop(), outer = loop();
    SmallVector<AffineExpr> filters{group, outer};
    for (int64_t i = 0; i < spatial; ++i)
      filters.push_back(loop());
    filters.push_back(loop());
    auto iterators = parallelLoops(count);
    SmallVector<AffineExpr> ys{loop()}, xs = ys;
    for (int64_t i = 0; i < spatial; ++i) {
      ys.push_back(loop());
      xs.push_back(ys.back() * op.getStrides()[i] +
                   filters[i + 2] * op.getDilations()[i]);
    }
    xs.append({group, filters.back()});
    ys.append({group, outer});
    iterators.append(count - iterators.size(), utils::IteratorType::reduction);

    SmallVector<int64_t> shape(type.getShape());
    shape.front() /= groups;
    shape.insert(shape.begin(), groups);
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> exprs : {xs, ys, filters})
      maps.push_back(AffineMap::get(count, 0, exprs, b.getContext()));
    Value sums = contract(b, loc, x, y, type.clone(shape), maps, iterators);
    SmallVector<ReassociationIndices> joined{{0, 1}};
    for (int64_t i = 1; i < type.getRank(); ++i)
      joined.push_back({i + 1});
    b.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, type, sums, joined);
    return success();
  }
};

} // namespace

void addNeuralPatterns(const TypeConverter &converter,
                       RewritePatternSet &patterns) {
  patterns.add<LowerConvolution, LowerFilterGradient>(converter,
                                                      patterns.getContext());
  addPoolPatterns(converter, patterns);
  addSoftmaxPatterns(converter, patterns);
  addSuppressPatterns(converter, patterns);
}

} // namespace weir::lower
