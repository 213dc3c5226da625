// What is known at compile time of lists of sizes that are computed at run
// time: of Pack(Shape(x)[0], 4) the second element.

#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace weir {

/// Chains of ops on sizes are short; longer ones are not looked into.
constexpr unsigned depthLimit = 64;

/// One element of an op that works element by element, as the same op on
/// scalars; null for ops that are not of that kind.
static Value scalarOp(ImplicitLocOpBuilder &b, Operation *op, int64_t index,
                      unsigned depth);

static Value element(ImplicitLocOpBuilder &b, Value list, int64_t index,
                     unsigned depth) {
  RankedTensorType type = typeOf(list);
  if (type.getRank() == 0)
    return list;
  auto take = [&] {
    Value flat = reshapeTo(b, list, {type.getNumElements()});
    Value one = make<graph::SliceOp>(b, flat, ArrayRef<int64_t>{index},
                                     ArrayRef<int64_t>{index + 1},
                                     ArrayRef<int64_t>{1});
    return reshapeTo(b, one, {});
  };
  Operation *op = list.getDefiningOp();
  if (!op || depth > depthLimit || matchPattern(list, m_Constant()))
    return take();
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    return element(b, reshape.getX(), index, depth + 1);
  if (type.getRank() == 1) {
    if (auto concat = dyn_cast<graph::ConcatOp>(op))
      for (Value input : concat.getInputs()) {
        int64_t count = typeOf(input).getNumElements();
        if (index < count)
          return element(b, input, index, depth + 1);
        index -= count;
      }
    if (auto slice = dyn_cast<graph::SliceOp>(op))
      return element(b, slice.getX(),
                     slice.getStarts()[0] + index * slice.getStrides()[0],
                     depth + 1);
    if (auto gather = dyn_cast<graph::GatherOp>(op);
        gather && typeOf(gather.getX()).getRank() == 1) {
      int64_t last = typeOf(gather.getX()).getNumElements() - 1;
      Value at = element(b, gather.getIndices(), index, depth + 1);
      if (std::optional<int64_t> known = knownNumber(at))
        return element(b, gather.getX(), std::clamp<int64_t>(*known, 0, last),
                       depth + 1);
    }
  }
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op);
      broadcast && typeOf(broadcast.getX()).getNumElements() == 1)
    return element(b, broadcast.getX(), 0, depth + 1);
  if (Value scalar = scalarOp(b, op, index, depth))
    return scalar;
  return take();
}

static Value scalarOp(ImplicitLocOpBuilder &b, Operation *op, int64_t index,
                      unsigned depth) {
  if (!isa<graph::ScalarOpInterface>(op) || op->getNumResults() != 1)
    return {};
  RankedTensorType type = typeOf(op->getResult(0));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (typeOf(operand).getShape() != type.getShape())
      return {};
    operands.push_back(element(b, operand, index, depth + 1));
  }
  OperationState state(b.getLoc(), op->getName(), operands,
                       {type.clone(ArrayRef<int64_t>())}, op->getAttrs());
  Operation *scalar = b.create(state);
  SmallVector<Value> folded;
  OpBuilder builder(b);
  if (succeeded(builder.tryFold(scalar, folded)) && !folded.empty()) {
    scalar->erase();
    return folded.front();
  }
  return scalar->getResult(0);
}

Value elementOf(ImplicitLocOpBuilder &b, Value list, int64_t index) {
  return element(b, list, index, 0);
}

static Interval all() { return {-HUGE_VAL, HUGE_VAL}; }

/// The hull of what `f` makes of the ends of two intervals, where it is
/// monotonous in each operand.
static Interval corners(Interval x, Interval y,
                        llvm::function_ref<double(double, double)> f) {
  Interval hull{HUGE_VAL, -HUGE_VAL};
  for (double a : {x.low, x.high})
    for (double c : {y.low, y.high}) {
      double value = f(a, c);
      if (std::isnan(value))
        return all();
      hull.low = std::min(hull.low, value);
      hull.high = std::max(hull.high, value);
    }
  return hull;
}

static Interval constantInterval(Attribute value) {
  auto dense = denseElements(value);
  if (!dense || dense->getNumElements() > 1024 || !dense->getNumElements())
    return all();
  Interval hull{HUGE_VAL, -HUGE_VAL};
  auto see = [&](double number) {
    hull.low = std::min(hull.low, number);
    hull.high = std::max(hull.high, number);
  };
  if (isa<FloatType>(dense->getElementType())) {
    for (APFloat number : dense->getValues<APFloat>()) {
      bool lossy;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &lossy);
      if (number.isNaN())
        return all();
      see(number.convertToDouble());
    }
    return hull;
  }
  bool isUnsigned = dense->getElementType().isUnsignedInteger() ||
                    dense->getElementType().isInteger(1);
  for (const APInt &number : dense->getValues<APInt>())
    see(number.roundToDouble(!isUnsigned));
  return hull;
}

/// What the element type can hold at all; an op whose interval goes beyond may
/// wrap, and then says nothing.
static Interval withinType(Interval interval, Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer)
    return interval;
  bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
  unsigned bits = integer.getWidth();
  double high = std::ldexp(1.0, isUnsigned ? bits : bits - 1) - 1;
  double low = isUnsigned ? 0 : -std::ldexp(1.0, bits - 1);
  bool mayWrap = interval.high > high;
  if (high >= std::ldexp(1.0, 63))
    high = HUGE_VAL;
  return mayWrap ? Interval{low, high}
                 : Interval{std::max(interval.low, low), interval.high};
}

static Interval compute(Value value, unsigned depth) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constantInterval(constant);
  Operation *op = value.getDefiningOp();
  if (!op || depth > depthLimit)
    return all();
  auto of = [&](unsigned i) {
    Value operand = op->getOperand(i);
    return withinType(compute(operand, depth + 1),
                      typeOf(operand).getElementType());
  };
  auto plus = [](double x, double y) { return x + y; };
  auto times = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
  auto over = [](double x, double y) { return std::isinf(y) ? 0 : x / y; };
  bool isInteger = isa<IntegerType>(typeOf(value).getElementType());
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case<graph::ReshapeOp, graph::BroadcastOp, graph::TransposeOp,
            graph::SliceOp, graph::DynamicSliceOp, graph::ReverseOp,
            graph::GatherOp, graph::ReduceMaxOp, graph::ReduceMinOp>(
          [&](auto) { return of(0); })
      .Case<graph::CastOp>([&](graph::CastOp cast) {
        Interval x = of(0);
        bool cuts =
            isInteger && isa<FloatType>(typeOf(cast.getX()).getElementType());
        // What is not a number becomes the lowest integer.
        return cuts ? Interval{-HUGE_VAL, std::trunc(x.high)} : x;
      })
      .Case<graph::ConcatOp>([&](graph::ConcatOp concat) {
        Interval hull = of(0);
        for (unsigned i = 1; i < concat->getNumOperands(); ++i) {
          Interval x = of(i);
          hull = {std::min(hull.low, x.low), std::max(hull.high, x.high)};
        }
        return hull;
      })
      .Case<graph::AddOp>([&](auto) { return corners(of(0), of(1), plus); })
      .Case<graph::SubOp>([&](auto) {
        Interval y = of(1);
        return corners(of(0), {-y.high, -y.low}, plus);
      })
      .Case<graph::MulOp>([&](auto) { return corners(of(0), of(1), times); })
      .Case<graph::DivOp, graph::FloorDivOp>([&](auto) {
        Interval y = of(1);
        if (y.low <= 0)
          return all();
        Interval x = corners(of(0), y, over);
        if (isa<graph::FloorDivOp>(op))
          return Interval{std::floor(x.low), std::floor(x.high)};
        return isInteger ? Interval{std::trunc(x.low), std::trunc(x.high)} : x;
      })
      .Case<graph::MaximumOp>([&](auto) {
        Interval x = of(0), y = of(1);
        return Interval{std::max(x.low, y.low), std::max(x.high, y.high)};
      })
      .Case<graph::MinimumOp>([&](auto) {
        Interval x = of(0), y = of(1);
        return Interval{std::min(x.low, y.low), std::min(x.high, y.high)};
      })
      .Case<graph::SelectOp>([&](auto) {
        Interval x = of(1), y = of(2);
        return Interval{std::min(x.low, y.low), std::max(x.high, y.high)};
      })
      .Case<graph::NegOp>([&](auto) {
        Interval x = of(0);
        return Interval{-x.high, -x.low};
      })
      .Case<graph::FloorOp>([&](auto) {
        Interval x = of(0);
        return Interval{std::floor(x.low), std::floor(x.high)};
      })
      .Case<graph::CeilOp>([&](auto) {
        Interval x = of(0);
        return Interval{std::ceil(x.low), std::ceil(x.high)};
      })
      .Case<graph::RoundOp>([&](auto) {
        Interval x = of(0);
        return Interval{std::floor(x.low), std::ceil(x.high)};
      })
      .Case<graph::IotaOp>([&](graph::IotaOp iota) {
        int64_t count = typeOf(value).getDimSize(iota.getAxis());
        return Interval{0, static_cast<double>(count - 1)};
      })
      .Case<graph::ReduceSumOp>([&](graph::ReduceSumOp sum) {
        int64_t all = typeOf(sum.getX()).getNumElements();
        int64_t left = std::max<int64_t>(typeOf(value).getNumElements(), 1);
        double count = static_cast<double>(all / left);
        return corners(of(0), {count, count}, times);
      })
      .Case<graph::ArgMaxOp, graph::ArgMinOp>([&](auto arg) {
        int64_t count = typeOf(arg.getX()).getDimSize(arg.getAxis());
        return Interval{0, static_cast<double>(count - 1)};
      })
      .Default([](Operation *) { return all(); });
}

Interval intervalOf(Value value) {
  return withinType(compute(value, 0), typeOf(value).getElementType());
}

} // namespace weir
