// Lowers pools: of floats to kernels, others to reductions over windows of a
// padded tensor.

#include "passes/lower/NeuralShared.h"

#include "dialects/graph/Neural.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace weir::lower {
namespace {

/// The loops of a pool: those of its result, then those of the window. The
/// window is an operand of its own, never read, that tells how long the last
/// loops are.
struct PoolLoops {
  SmallVector<AffineMap> maps; // of x, of the window
  AffineMap result;
  SmallVector<utils::IteratorType> iterators;
  Value window;

  PoolLoops(OpBuilder &b, Location loc, int64_t spatial,
            ArrayRef<int64_t> windowShape, ArrayRef<int64_t> strides) {
    int64_t rank = spatial + 2, count = rank + spatial;
    SmallVector<AffineExpr> xs, ws, ys;
    for (int64_t i = 0; i < rank; ++i)
      ys.push_back(b.getAffineDimExpr(i));
    xs = ys;
    for (int64_t i = 0; i < spatial; ++i) {
      ws.push_back(b.getAffineDimExpr(rank + i));
      xs[i + 1] = ys[i + 1] * strides[i] + ws.back();
    }
    maps = {AffineMap::get(count, 0, xs, b.getContext()),
            AffineMap::get(count, 0, ws, b.getContext())};
    result = AffineMap::get(count, 0, ys, b.getContext());
    iterators = parallelLoops(rank);
    iterators.append(spatial, utils::IteratorType::reduction);
    window = b.create<tensor::EmptyOp>(loc, windowShape, b.getI8Type());
  }
};

/// What no element is below.
Value lowest(OpBuilder &b, Location loc, Type type, bool isUnsigned) {
  if (auto number = dyn_cast<FloatType>(type))
    return b.create<arith::ConstantOp>(
        loc, b.getFloatAttr(number, APFloat::getInf(number.getFloatSemantics(),
                                                    /*Negative=*/true)));
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value =
      isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
}

struct LowerPoolMax : OpConversionPattern<graph::PoolMaxOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::PoolMaxOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(
        typeConverter->convertType(op.getResult().getType()));
    bool isUnsigned = getElementTypeOrSelf(op.getX()).isUnsignedInteger();
    Value low = lowest(b, loc, type.getElementType(), isUnsigned);
    Value x = padSpatial(b, loc, adaptor.getX(), op.getPaddingLow(),
                         op.getPaddingHigh(), low);
    PoolLoops loops(b, loc, type.getRank() - 2, op.getWindow(),
                    op.getStrides());
    loops.maps.push_back(loops.result);
    b.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, ValueRange{x, loops.window}, filledTensor(b, loc, type, low),
        loops.maps, loops.iterators,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value larger;
          if (isa<FloatType>(type.getElementType()))
            larger = b.create<arith::MaximumFOp>(loc, args[2], args[0]);
          else if (isUnsigned)
            larger = b.create<arith::MaxUIOp>(loc, args[2], args[0]);
          else
            larger = b.create<arith::MaxSIOp>(loc, args[2], args[0]);
          b.create<linalg::YieldOp>(loc, larger);
        });
    return success();
  }
};

struct LowerPoolAverage : OpConversionPattern<graph::PoolAverageOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::PoolAverageOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(
        typeConverter->convertType(op.getResult().getType()));
    int64_t spatial = type.getRank() - 2;
    Value x =
        padSpatial(b, loc, adaptor.getX(), op.getPaddingLow(),
                   op.getPaddingHigh(), zeroOf(b, loc, type.getElementType()));
    Type sumType = accumulatorType(type.getElementType());
    auto sums = type.clone(sumType);
    PoolLoops loops(b, loc, spatial, op.getWindow(), op.getStrides());
    loops.maps.push_back(loops.result);
    auto sum = b.create<linalg::GenericOp>(
        loc, sums, ValueRange{x, loops.window},
        filledTensor(b, loc, sums, zeroOf(b, loc, sumType)), loops.maps,
        loops.iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
          Value element = convertFloat(b, loc, args[0], sumType);
          b.create<linalg::YieldOp>(
              loc, b.create<arith::AddFOp>(loc, args[2], element).getResult());
        });

    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(spatial + 2));
    b.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, sum.getResult(0), emptyTensor(b, loc, type), maps,
        parallelLoops(spatial + 2),
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value count = elementsUnderWindow(b, loc, op);
          Value number = b.create<arith::SIToFPOp>(loc, sumType, count);
          Value mean = b.create<arith::DivFOp>(loc, args[0], number);
          b.create<linalg::YieldOp>(
              loc, convertFloat(b, loc, mean, type.getElementType()));
        });
    return success();
  }

  /// How many elements the window covers at the place of the current loops,
  /// without padding where that does not count.
  static Value elementsUnderWindow(OpBuilder &b, Location loc,
                                   graph::PoolAverageOp op) {
    auto constant = [&](int64_t value) -> Value {
      return b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(value));
    };
    int64_t known = 1;
    Value unknown;
    for (auto [i, size] : llvm::enumerate(op.getWindow())) {
      int64_t low = op.getPaddingLow()[i], high = op.getPaddingHigh()[i];
      if (op.getCountsPadding() || (low == 0 && high == 0)) {
        known *= size;
        continue;
      }
      int64_t extent = cast<RankedTensorType>(op.getX().getType())
                           .getDimSize(static_cast<unsigned>(i + 1));
      Value position = b.create<arith::IndexCastOp>(
          loc, b.getI64Type(), b.create<linalg::IndexOp>(loc, i + 1));
      position =
          b.create<arith::MulIOp>(loc, position, constant(op.getStrides()[i]));
      Value begin = b.create<arith::SubIOp>(loc, position, constant(low));
      Value end = b.create<arith::AddIOp>(loc, begin, constant(size));
      begin = b.create<arith::MaxSIOp>(loc, begin, constant(0));
      end = b.create<arith::MinSIOp>(loc, end, constant(extent));
      Value covered = b.create<arith::SubIOp>(loc, end, begin);
      unknown =
          unknown ? b.create<arith::MulIOp>(loc, unknown, covered) : covered;
    }
    if (!unknown)
      return constant(known);
    return b.create<arith::MulIOp>(loc, unknown, constant(known));
  }
};

struct LowerPoolArgMax : OpConversionPattern<graph::PoolArgMaxOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::PoolArgMaxOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getResult().getType());
    auto xType = cast<RankedTensorType>(adaptor.getX().getType());
    Type elementType = xType.getElementType();
    bool isUnsigned = getElementTypeOrSelf(op.getX()).isUnsignedInteger();
    Value low = lowest(b, loc, elementType, isUnsigned);
    Value x = padSpatial(b, loc, adaptor.getX(), op.getPaddingLow(),
                         op.getPaddingHigh(), low);
    PoolLoops loops(b, loc, type.getRank() - 2, op.getWindow(),
                    op.getStrides());
    loops.maps.append(2, loops.result);
    auto best = type.clone(elementType);
    Value none = b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(-1));
    auto generic = b.create<linalg::GenericOp>(
        loc, TypeRange{best, type}, ValueRange{x, loops.window},
        ValueRange{filledTensor(b, loc, best, low),
                   filledTensor(b, loc, type, none)},
        loops.maps, loops.iterators,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          auto [index, inside] = positionInImage(b, loc, op, xType);
          Value larger;
          if (isa<FloatType>(elementType))
            larger = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT,
                                             args[0], args[2]);
          else
            larger =
                b.create<arith::CmpIOp>(loc,
                                        isUnsigned ? arith::CmpIPredicate::ugt
                                                   : arith::CmpIPredicate::sgt,
                                        args[0], args[2]);
          Value first =
              b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, args[3],
                                      zeroOf(b, loc, b.getI64Type()));
          Value wins = b.create<arith::AndIOp>(
              loc, inside, b.create<arith::OrIOp>(loc, first, larger));
          Value element =
              b.create<arith::SelectOp>(loc, wins, args[0], args[2]);
          Value position = b.create<arith::SelectOp>(loc, wins, index, args[3]);
          b.create<linalg::YieldOp>(loc, ValueRange{element, position});
        });
    b.replaceOp(op, generic.getResult(1));
    return success();
  }

  /// The index in its image of the element that the current loops are at, and
  /// whether it is no padding.
  static std::pair<Value, Value> positionInImage(OpBuilder &b, Location loc,
                                                 graph::PoolArgMaxOp op,
                                                 RankedTensorType x) {
    auto constant = [&](int64_t value) -> Value {
      return b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(value));
    };
    auto loop = [&](int64_t i) -> Value {
      return b.create<arith::IndexCastOp>(loc, b.getI64Type(),
                                          b.create<linalg::IndexOp>(loc, i));
    };
    int64_t rank = x.getRank();
    Value index = constant(0);
    Value inside = b.create<arith::ConstantOp>(loc, b.getBoolAttr(true));
    for (int64_t i = 1; i < rank - 1; ++i) {
      Value at = b.create<arith::MulIOp>(loc, loop(i),
                                         constant(op.getStrides()[i - 1]));
      at = b.create<arith::AddIOp>(loc, at, loop(rank + i - 1));
      at =
          b.create<arith::SubIOp>(loc, at, constant(op.getPaddingLow()[i - 1]));
      // Below zero is above any size when taken as unsigned.
      Value fits = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, at,
                                           constant(x.getDimSize(i)));
      inside = b.create<arith::AndIOp>(loc, inside, fits);
      index = b.create<arith::MulIOp>(loc, index, constant(x.getDimSize(i)));
      index = b.create<arith::AddIOp>(loc, index, at);
    }
    index =
        b.create<arith::MulIOp>(loc, index, constant(x.getDimSize(rank - 1)));
    index = b.create<arith::AddIOp>(loc, index, loop(rank - 1));
    return {index, inside};
  }
};

/// Of images of floats, of one spatial dimension or two.
template <typename Op>
struct PoolToKernel : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  static constexpr bool largest = std::is_same_v<Op, graph::PoolMaxOp>;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    RankedTensorType type = op.getType();
    // Columns of the windows of a tile, up to seven (ChannelTiles), are no
    // loop.
    constexpr int64_t most = 112, widest = 7;
    int64_t columns = op.getWindow().back() *
                      std::min(widest, type.getDimSize(type.getRank() - 2));
    if (type.getRank() > 4 || !isa<FloatType>(type.getElementType()) ||
        columns > most || kernel::Target::of(op).gpu)
      return b.notifyMatchFailure(
          op, "its windows are too large for vectors of channels");
    // The result is an element itself, and a processor's instruction may turn a
    // denormal number into zero where it narrows floats to bf16.
    if (largest && type.getElementType().isBF16())
      return b.notifyMatchFailure(
          op, "narrowing would flush denormal bf16 values to zero");
    Value x = adaptor.getX();
    if (!largest || !isWorthTwo(op.getWindow())) {
      b.replaceOp(op, pool(b, op, x, {true, true}));
      return success();
    }
    x = pool(b, op, x, {false, true});
    b.replaceOp(op, pool(b, op, x, {true, false}));
    return success();
  }

private:
  static bool countsPadding(graph::PoolMaxOp) { return false; }
  static bool countsPadding(graph::PoolAverageOp op) {
    return op.getCountsPadding();
  }

  /// Whether the greatest of the greatest elements of columns are made of much
  /// fewer: those are written and read once more.
  static bool isWorthTwo(ArrayRef<int64_t> window) {
    return window.size() == 2 &&
           window[0] * window[1] > 2 * (window[0] + window[1]);
  }

  /// Along the spatial dimensions that are `wanted`.
  static Value pool(OpBuilder &b, Op op, Value x, ArrayRef<bool> wanted) {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    SmallVector<int64_t> shape(cast<RankedTensorType>(x.getType()).getShape());
    SmallVector<int64_t> windows, strides, padding,
        dilations(shape.size() - 2, 1);
    for (size_t i = 0; i + 2 < shape.size(); ++i) {
      bool is = wanted[i];
      windows.push_back(is ? op.getWindow()[i] : 1);
      strides.push_back(is ? op.getStrides()[i] : 1);
      padding.push_back(is ? op.getPaddingLow()[i] : 0);
      if (is)
        shape[i + 1] = type.getDimSize(i + 1);
    }
    type = type.clone(shape);
    auto kernel = b.create<kernel::PoolOp>(
        loc, type, x, ValueRange(), emptyTensor(b, loc, type), windows, strides,
        padding, dilations, b.getArrayAttr({}), largest, countsPadding(op),
        /*schedule=*/nullptr);
    buildEpilogue(b, loc, kernel.getEpilogue(), type.getElementType());
    return kernel.getResult(0);
  }
};

} // namespace

void addPoolPatterns(const TypeConverter &converter,
                     RewritePatternSet &patterns) {
  patterns.add<LowerPoolMax, LowerPoolAverage, LowerPoolArgMax>(
      converter, patterns.getContext());
  patterns
      .add<PoolToKernel<graph::PoolMaxOp>, PoolToKernel<graph::PoolAverageOp>>(
          converter, patterns.getContext(), /*benefit=*/2);
}

} // namespace weir::lower
