// Lowers softmax and its logarithm: a maximum, exponentials, a sum, a quotient.

#include "passes/lower/NeuralShared.h"

#include "dialects/graph/Neural.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir {
namespace {

using Combine = function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// Rows of `x` are its last dimension; all sums and maxima are of rows.
struct Rows {
  OpBuilder &b;
  Location loc;
  RankedTensorType type;
  AffineMap element, row;

  Rows(OpBuilder &b, Location loc, RankedTensorType type)
      : b(b), loc(loc), type(type),
        element(b.getMultiDimIdentityMap(type.getRank())),
        row(element.dropResult(type.getRank() - 1)) {}

  /// One accumulator a row, from `init`; `combine` gets element and
  /// accumulator.
  Value reduce(Value x, Type sumType, Attribute init, Combine combine) {
    auto rows = RankedTensorType::get(type.getShape().drop_back(), sumType);
    auto loops = parallelLoops(type.getRank());
    loops.back() = utils::IteratorType::reduction;
    Value start = filledTensor(
        b, loc, rows, b.create<arith::ConstantOp>(loc, cast<TypedAttr>(init)));
    return b
        .create<linalg::GenericOp>(
            loc, rows, x, start, ArrayRef<AffineMap>{element, row}, loops,
            [&](OpBuilder &b, Location loc, ValueRange args) {
              b.create<linalg::YieldOp>(loc, combine(b, loc, args));
            })
        .getResult(0);
  }

  /// Elements of `result` from those of `x` and the accumulators of their row.
  Value map(Value x, ValueRange rows, Type result, Combine combine) {
    SmallVector<Value> inputs{x};
    inputs.append(rows.begin(), rows.end());
    SmallVector<AffineMap> maps{element};
    maps.append(rows.size(), row);
    maps.push_back(element);
    return b
        .create<linalg::GenericOp>(
            loc, result, inputs, emptyTensor(b, loc, result), maps,
            parallelLoops(type.getRank()),
            [&](OpBuilder &b, Location loc, ValueRange args) {
              b.create<linalg::YieldOp>(loc, combine(b, loc, args));
            })
        .getResult(0);
  }
};

template <typename Op>
struct LowerSoftmax : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    constexpr bool isLog = std::is_same_v<Op, graph::LogSoftmaxOp>;
    auto type = cast<RankedTensorType>(adaptor.getX().getType());
    auto sumType = cast<FloatType>(accumulatorType(type.getElementType()));
    auto wide = type.clone(sumType);
    Rows rows(b, op.getLoc(), type);

    auto lowest = b.getFloatAttr(
        sumType, APFloat::getInf(sumType.getFloatSemantics(), true));
    Value largest =
        rows.reduce(adaptor.getX(), sumType, lowest,
                    [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                      Value x = convertFloat(b, loc, args[0], sumType);
                      return b.create<arith::MaximumFOp>(loc, args[1], x);
                    });
    auto distance = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
      Value x = convertFloat(b, loc, args[0], sumType);
      return b.create<arith::SubFOp>(loc, x, args[1]);
    };
    Value powers =
        rows.map(adaptor.getX(), largest, wide,
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   return b.create<math::ExpOp>(loc, distance(b, loc, args));
                 });
    Value sum =
        rows.reduce(powers, sumType, b.getZeroAttr(sumType),
                    [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                      return b.create<arith::AddFOp>(loc, args[1], args[0]);
                    });
    auto last = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
      Value y;
      if (isLog)
        y = b.create<arith::SubFOp>(loc, distance(b, loc, args),
                                    b.create<math::LogOp>(loc, args[2]));
      else
        y = b.create<arith::DivFOp>(loc, args[0], args[1]);
      return convertFloat(b, loc, y, type.getElementType());
    };
    b.replaceOp(op, isLog ? rows.map(adaptor.getX(), {largest, sum}, type, last)
                          : rows.map(powers, sum, type, last));
    return success();
  }
};

} // namespace

void addSoftmaxPatterns(const TypeConverter &converter,
                        RewritePatternSet &patterns) {
  patterns
      .add<LowerSoftmax<graph::SoftmaxOp>, LowerSoftmax<graph::LogSoftmaxOp>>(
          converter, patterns.getContext());
}

} // namespace weir
