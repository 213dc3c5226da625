// Lowers softmax and its logarithm: a maximum, exponentials, a sum, a quotient.

#include "passes/lower/NeuralShared.h"

#include "dialects/graph/Neural.h"
#include "dialects/kernel/attention/Attention.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir::lower {
namespace {

using Combine =
    function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

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

  RankedTensorType rowsOf(Type element) const {
    return RankedTensorType::get(type.getShape().drop_back(), element);
  }

  Value start(FloatAttr init) {
    return filledTensor(b, loc, rowsOf(init.getType()),
                        b.create<arith::ConstantOp>(loc, init));
  }

  /// One loop nest over all elements; `element` outputs come first.
  ValueRange loops(ValueRange inputs, ArrayRef<AffineMap> maps,
                   ValueRange outputs, bool reduces, Combine combine) {
    auto iterators = parallelLoops(type.getRank());
    if (reduces)
      iterators.back() = utils::IteratorType::reduction;
    return b
        .create<linalg::GenericOp>(
            loc, TypeRange(outputs), inputs, outputs, maps, iterators,
            [&](OpBuilder &b, Location loc, ValueRange args) {
              b.create<linalg::YieldOp>(loc, combine(b, loc, args));
            })
        .getResults();
  }

  /// A function of one value of each row.
  Value each(Value rows,
             llvm::function_ref<Value(OpBuilder &, Location, Value)> function) {
    AffineMap map = b.getMultiDimIdentityMap(type.getRank() - 1);
    return b
        .create<linalg::GenericOp>(
            loc, rows.getType(), rows, emptyTensor(b, loc, rows.getType()),
            ArrayRef<AffineMap>{map, map}, parallelLoops(type.getRank() - 1),
            [&](OpBuilder &b, Location loc, ValueRange args) {
              b.create<linalg::YieldOp>(loc, function(b, loc, args[0]));
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

    bool isMasked = false;
    if constexpr (!isLog)
      isMasked = op.getMasked();
    auto softmax = [&](OpBuilder &b, Location loc) {
      return kernel::Softmax(b, loc, sumType, isMasked);
    };
    Value largest = rows.loops(
        adaptor.getX(), {rows.element, rows.row},
        rows.start(softmax(b, op.getLoc()).lowest()),
        /*reduces=*/true,
        [&](OpBuilder &b, Location loc, ValueRange args) -> SmallVector<Value> {
          Value x = convertFloat(b, loc, args[0], sumType);
          return {softmax(b, loc).maximum(args[1], x)};
        })[0];
    auto power = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
      Value x = convertFloat(b, loc, args[0], sumType);
      return softmax(b, loc).power(x, args[1]);
    };
    Value zeros = rows.start(b.getFloatAttr(sumType, 0));
    if constexpr (isLog) {
      Value sum = rows.loops(
          {adaptor.getX(), largest}, {rows.element, rows.row, rows.row}, zeros,
          /*reduces=*/true,
          [&](OpBuilder &b, Location loc,
              ValueRange args) -> SmallVector<Value> {
            return {b.create<arith::AddFOp>(loc, args[2], power(b, loc, args))};
          })[0];
      Value logarithm =
          rows.each(sum, [](OpBuilder &b, Location loc, Value x) -> Value {
            return b.create<math::LogOp>(loc, x);
          });
      b.replaceOp(
          op, rows.loops(
                  {adaptor.getX(), largest, logarithm},
                  {rows.element, rows.row, rows.row, rows.element},
                  emptyTensor(b, op.getLoc(), type), /*reduces=*/false,
                  [&](OpBuilder &b, Location loc,
                      ValueRange args) -> SmallVector<Value> {
                    Value x = convertFloat(b, loc, args[0], sumType);
                    Value distance = b.create<arith::SubFOp>(loc, x, args[1]);
                    return {convertFloat(
                        b, loc, b.create<arith::SubFOp>(loc, distance, args[2]),
                        type.getElementType())};
                  }));
      return success();
    }
    // The exponentials are kept and summed at once.
    ValueRange results = rows.loops(
        {adaptor.getX(), largest},
        {rows.element, rows.row, rows.element, rows.row},
        {emptyTensor(b, op.getLoc(), wide), zeros}, /*reduces=*/true,
        [&](OpBuilder &b, Location loc, ValueRange args) -> SmallVector<Value> {
          Value y = power(b, loc, args);
          return {y, b.create<arith::AddFOp>(loc, args[3], y)};
        });
    Value scale = rows.each(
        results[1], [&](OpBuilder &b, Location loc, Value x) -> Value {
          auto number = [&](double value) -> Value {
            return b.create<arith::ConstantOp>(loc,
                                               b.getFloatAttr(sumType, value));
          };
          Value one = number(1), zero = isMasked ? number(0) : Value();
          return softmax(b, loc).scale(x, zero, one);
        });
    b.replaceOp(
        op,
        rows.loops({results[0], scale}, {rows.element, rows.row, rows.element},
                   emptyTensor(b, op.getLoc(), type), /*reduces=*/false,
                   [&](OpBuilder &b, Location loc,
                       ValueRange args) -> SmallVector<Value> {
                     return {convertFloat(
                         b, loc, b.create<arith::MulFOp>(loc, args[0], args[1]),
                         type.getElementType())};
                   }));
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

} // namespace weir::lower
