// Lowers the ops of family Reduce: reductions and places of extremes to
// linalg.generic, cumulative ops to loops in the order of their axis.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Reduce.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::lower {
namespace {

/// The loops over `type`, and which of them reduce.
struct Loops {
  SmallVector<utils::IteratorType> iterators;
  AffineMap element, rest;

  Loops(OpBuilder &b, RankedTensorType type, ArrayRef<int64_t> reduced)
      : iterators(parallelLoops(type.getRank())),
        element(b.getMultiDimIdentityMap(type.getRank())), rest(element) {
    for (int64_t dimension : llvm::reverse(reduced)) {
      iterators[dimension] = utils::IteratorType::reduction;
      rest = rest.dropResult(dimension);
    }
  }
};

template <typename Op>
struct LowerReduction : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type element = op.getX().getType().getElementType();
    RankedTensorType result = op.getType();
    Loops loops(b, op.getX().getType(), op.getDimensions());
    Value init = filledTensor(
        b, loc, result.clone(graph::accumulatorOf(element)),
        b.create<arith::ConstantOp>(loc, graph::identityOf(Op::kind, element)));
    Value sums =
        b.create<linalg::GenericOp>(
             loc, init.getType(), adaptor.getX(), init,
             ArrayRef<AffineMap>{loops.element, loops.rest}, loops.iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               b.create<linalg::YieldOp>(
                   loc,
                   graph::combine(Op::kind, element, b, loc, args[1], args[0]));
             })
            .getResult(0);
    Value empty = emptyTensor(b, loc, result);
    if (sums.getType() != empty.getType()) {
      AffineMap identity = b.getMultiDimIdentityMap(result.getRank());
      sums = b.create<linalg::GenericOp>(
                  loc, empty.getType(), sums, empty,
                  ArrayRef<AffineMap>{identity, identity},
                  parallelLoops(result.getRank()),
                  [&](OpBuilder &b, Location loc, ValueRange args) {
                    b.create<linalg::YieldOp>(
                        loc, graph::finish(element, b, loc, args[0]));
                  })
                 .getResult(0);
    }
    b.replaceOp(op, sums);
    return success();
  }
};

/// One pass that carries the extreme and its place.
template <typename Op>
struct LowerArg : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  static Value isBeyond(OpBuilder &b, Location loc, Type element, Value x,
                        Value best) {
    constexpr bool most = std::is_same_v<Op, graph::ArgMaxOp>;
    if (isa<FloatType>(element)) {
      // A NaN is beyond every number, and nothing is beyond a NaN.
      Value beyond = b.create<arith::CmpFOp>(
          loc, most ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT, x,
          best);
      Value isNumber =
          b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ORD, best, best);
      return b.create<arith::AndIOp>(loc, beyond, isNumber);
    }
    if (element.isUnsignedInteger() || element.isInteger(1))
      return b.create<arith::CmpIOp>(
          loc, most ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult, x,
          best);
    return b.create<arith::CmpIOp>(
        loc, most ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, x,
        best);
  }

  /// What all elements that could be chosen are beyond, or equal to where the
  /// place is 0 anyway.
  static TypedAttr worst(OpBuilder &b, Type element) {
    constexpr bool most = std::is_same_v<Op, graph::ArgMaxOp>;
    if (element.isInteger(1))
      return b.getBoolAttr(!most);
    if (auto number = dyn_cast<FloatType>(element))
      return FloatAttr::get(number,
                            APFloat::getInf(number.getFloatSemantics(), most));
    return graph::identityOf(
        most ? graph::Reduction::max : graph::Reduction::min, element);
  }

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType x = op.getX().getType(), result = op.getType();
    Type element = x.getElementType();
    Loops loops(b, x, static_cast<int64_t>(op.getAxis()));
    auto constant = [&](TypedAttr value) -> Value {
      return b.create<arith::ConstantOp>(loc, value);
    };
    Type position = graph::signless(result.getElementType());
    Value best = filledTensor(b, loc, result.clone(graph::signless(element)),
                              constant(worst(b, element)));
    Value at =
        filledTensor(b, loc, result, constant(b.getIntegerAttr(position, 0)));
    auto generic = b.create<linalg::GenericOp>(
        loc, TypeRange{best.getType(), at.getType()}, adaptor.getX(),
        ValueRange{best, at},
        ArrayRef<AffineMap>{loops.element, loops.rest, loops.rest},
        loops.iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
          Value beyond = isBeyond(b, loc, element, args[0], args[1]);
          Value index = b.create<arith::IndexCastOp>(
              loc, position, b.create<linalg::IndexOp>(loc, op.getAxis()));
          b.create<linalg::YieldOp>(
              loc, ValueRange{
                       b.create<arith::SelectOp>(loc, beyond, args[0], args[1]),
                       b.create<arith::SelectOp>(loc, beyond, index, args[2])});
        });
    b.replaceOp(op, generic.getResult(1));
    return success();
  }
};

/// The same of 32-bit elements side by side in two passes, a maximum and the
/// least place whose element equals it: each combines by one op, as vectors of
/// a row want it. Where the lanes are those of several results one pass does.
template <typename Op>
struct LowerArgOfWords : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType x = op.getX().getType(), result = op.getType();
    Type element = x.getElementType(), i32 = b.getI32Type();
    auto axis = static_cast<int64_t>(op.getAxis());
    constexpr int64_t none = std::numeric_limits<int32_t>::max();
    constexpr int64_t shortest = 8; // of vectors
    if (!(element.isF32() || element.isSignlessInteger(32)) ||
        x.getDimSize(axis) >= none || x.getDimSize(axis) < shortest ||
        ShapedType::getNumElements(x.getShape().drop_front(axis + 1)) >=
            shortest)
      return b.notifyMatchFailure(
          op, "its rows are not long vectors of 32-bit elements");
    Loops loops(b, x, axis);
    Value extremes = extremesOf(op, adaptor.getX(), loops, b);
    auto init = result.clone(i32);
    Value last = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(none));
    Value first =
        b.create<linalg::GenericOp>(
             loc, init, ValueRange{adaptor.getX(), extremes},
             filledTensor(b, loc, init, last),
             ArrayRef<AffineMap>{loops.element, loops.rest, loops.rest},
             loops.iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value turned = turn(b, loc, args[0]);
               Value is = isExtreme(b, loc, turned, args[1]);
               Value position = b.create<arith::IndexCastOp>(
                   loc, i32, b.create<linalg::IndexOp>(loc, axis));
               position = b.create<arith::SelectOp>(loc, is, position, last);
               b.create<linalg::YieldOp>(
                   loc, b.create<arith::MinSIOp>(loc, args[2], position)
                            .getResult());
             })
            .getResult(0);
    AffineMap identity = b.getMultiDimIdentityMap(result.getRank());
    Type type = graph::signless(result.getElementType());
    b.replaceOpWithNewOp<linalg::GenericOp>(
        op, RankedTensorType::get(result.getShape(), type), first,
        emptyTensor(b, loc, result), ArrayRef<AffineMap>{identity, identity},
        parallelLoops(result.getRank()),
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value position = args[0];
          unsigned width = type.getIntOrFloatBitWidth();
          if (width > 32)
            position = b.create<arith::ExtUIOp>(loc, type, position);
          else if (width < 32)
            position = b.create<arith::TruncIOp>(loc, type, position);
          b.create<linalg::YieldOp>(loc, position);
        });
    return success();
  }

private:
  /// `x`, or for a least element what turns the order of elements round.
  static Value turn(OpBuilder &b, Location loc, Value x) {
    if (std::is_same_v<Op, graph::ArgMaxOp>)
      return x;
    if (isa<FloatType>(x.getType()))
      return b.create<arith::NegFOp>(loc, x);
    Value all = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(-1));
    return b.create<arith::XOrIOp>(loc, x, all);
  }

  /// Whether a turned element is one of those that are sought. A row with a NaN
  /// has that for its extreme, which equals nothing.
  static Value isExtreme(OpBuilder &b, Location loc, Value x, Value extreme) {
    if (!isa<FloatType>(x.getType()))
      return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, extreme);
    Value is =
        b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, x, extreme);
    Value isNan = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, x, x);
    return b.create<arith::OrIOp>(loc, is, isNan);
  }

  /// The greatest of what `turn` gives.
  static Value extremesOf(Op op, Value x, const Loops &loops, OpBuilder &b) {
    Location loc = op.getLoc();
    Type element = cast<RankedTensorType>(x.getType()).getElementType();
    auto type = op.getType().clone(element);
    Value lowest = b.create<arith::ConstantOp>(
        loc, graph::identityOf(graph::Reduction::max, element));
    return b
        .create<linalg::GenericOp>(
            loc, type, x, filledTensor(b, loc, type, lowest),
            ArrayRef<AffineMap>{loops.element, loops.rest}, loops.iterators,
            [&](OpBuilder &b, Location loc, ValueRange args) {
              Value turned = turn(b, loc, args[0]);
              Value most =
                  isa<FloatType>(element)
                      ? b.create<arith::MaximumFOp>(loc, args[1], turned)
                            .getResult()
                      : b.create<arith::MaxSIOp>(loc, args[1], turned);
              b.create<linalg::YieldOp>(loc, most);
            })
        .getResult(0);
  }
};

/// Loops over all dimensions, the axis outside the ones after it, each element
/// made from the one before it along the axis.
template <typename Op>
struct LowerCumulative : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type element = op.getType().getElementType();
    Type wide = graph::accumulatorOf(element);
    ArrayRef<int64_t> shape = op.getType().getShape();
    int64_t axis = op.getAxis();
    auto index = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIndexOp>(loc, value);
    };
    // One accumulator a line along the axis.
    SmallVector<int64_t> lines(shape);
    lines.erase(lines.begin() + axis);
    Value sums = filledTensor(
        b, loc, RankedTensorType::get(lines, wide),
        b.create<arith::ConstantOp>(loc, graph::identityOf(Op::kind, element)));
    Value zero = index(0), one = index(1);
    SmallVector<Value> lower(shape.size(), zero), upper,
        steps(shape.size(), one);
    for (int64_t size : shape)
      upper.push_back(index(size));
    scf::LoopNest nest = scf::buildLoopNest(
        b, loc, lower, upper, steps,
        ValueRange{emptyTensor(b, loc, op.getType()), sums},
        [&](OpBuilder &b, Location loc, ValueRange indices,
            ValueRange tensors) -> scf::ValueVector {
          SmallVector<Value> at(indices), line(indices);
          if (op.getReverse())
            at[axis] = b.create<arith::SubIOp>(
                loc, b.create<arith::ConstantIndexOp>(loc, shape[axis] - 1),
                at[axis]);
          line.erase(line.begin() + axis);
          Value sum = b.create<tensor::ExtractOp>(loc, tensors[1], line);
          Value x = b.create<tensor::ExtractOp>(loc, adaptor.getX(), at);
          Value next = graph::combine(Op::kind, element, b, loc, sum, x);
          Value given =
              graph::finish(element, b, loc, op.getExclusive() ? sum : next);
          return {b.create<tensor::InsertOp>(loc, given, tensors[0], at),
                  b.create<tensor::InsertOp>(loc, next, tensors[1], line)};
        });
    b.replaceOp(op, nest.results[0]);
    return success();
  }
};

} // namespace

void addReducePatterns(const TypeConverter &converter,
                       RewritePatternSet &patterns) {
  patterns
      .add<LowerArgOfWords<graph::ArgMaxOp>, LowerArgOfWords<graph::ArgMinOp>>(
          converter, patterns.getContext(), /*benefit=*/2);
  patterns.add<
      LowerReduction<graph::ReduceSumOp>, LowerReduction<graph::ReduceProdOp>,
      LowerReduction<graph::ReduceMaxOp>, LowerReduction<graph::ReduceMinOp>,
      LowerReduction<graph::ReduceAndOp>, LowerReduction<graph::ReduceOrOp>,
      LowerArg<graph::ArgMaxOp>, LowerArg<graph::ArgMinOp>,
      LowerCumulative<graph::CumulativeSumOp>,
      LowerCumulative<graph::CumulativeProdOp>,
      LowerCumulative<graph::CumulativeLogSumExpOp>>(converter,
                                                     patterns.getContext());
}

} // namespace weir::lower
