// What the computation of a size says of its values before any run.

#include "compiler/import/bounded/ranges/Intervals.h"

#include "compiler/import/Build.h"
#include "compiler/import/Elements.h"
#include "compiler/import/bounded/ranges/Moved.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace weir {
namespace {

/// Chains of ops on sizes are short; longer ones are not looked into.
constexpr unsigned depthLimit = 64;
/// Lists with more elements have one interval for all of them.
constexpr int64_t longestList = 64;

Interval all() { return {-HUGE_VAL, HUGE_VAL}; }

/// The hull of what `f` makes of the ends of two intervals, where it is
/// monotonous in each operand.
Interval corners(Interval x, Interval y,
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

Interval hullOf(Interval x, Interval y) {
  return {std::min(x.low, y.low), std::max(x.high, y.high)};
}
Interval least(Interval x, Interval y) {
  return {std::min(x.low, y.low), std::min(x.high, y.high)};
}
Interval greatest(Interval x, Interval y) {
  return {std::max(x.low, y.low), std::max(x.high, y.high)};
}
Interval sumOf(Interval x, Interval y) {
  return corners(x, y, [](double a, double c) { return a + c; });
}
Interval productOf(Interval x, Interval y) {
  return corners(
      x, y, [](double a, double c) { return a == 0 || c == 0 ? 0 : a * c; });
}

Interval constantInterval(Attribute value, int64_t index) {
  auto dense = denseElements(value);
  if (!dense || dense->getNumElements() > 1024 || !dense->getNumElements())
    return all();
  Interval hull{HUGE_VAL, -HUGE_VAL};
  int64_t at = 0;
  auto see = [&](double number) {
    if (index >= 0 && at++ != index)
      return;
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

/// What the element type can hold at all. The result of arithmetic that goes
/// beyond may wrap, and is then anything that the type holds.
Interval withinType(Interval interval, Type elementType, bool isArithmetic) {
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer)
    return interval;
  bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
  unsigned bits = integer.getWidth();
  double high = std::ldexp(1.0, isUnsigned ? bits : bits - 1) - 1;
  double low = isUnsigned ? 0 : -std::ldexp(1.0, bits - 1);
  bool mayWrap = isArithmetic && (interval.high > high || interval.low < low);
  if (high >= std::ldexp(1.0, 63))
    high = HUGE_VAL;
  return mayWrap ? Interval{low, high}
                 : Interval{std::max(interval.low, low),
                            std::min(interval.high, high)};
}

static bool areOne(Interval x, Interval y) {
  return x.low == x.high && y.low == y.high && x.low == y.low &&
         !std::isinf(x.low);
}
static bool areApart(Interval x, Interval y) {
  return x.high < y.low || y.high < x.low;
}

} // namespace

Interval Intervals::of(Value value, int64_t index, unsigned depth) {
  if (!isa<RankedTensorType>(value.getType()))
    return all();
  RankedTensorType type = typeOf(value);
  if (type.getNumElements() == 1)
    index = 0;
  auto [position, isNew] = known.try_emplace({value, index}, all());
  if (!isNew)
    return position->second;
  Interval interval = all();
  if (depth <= depthLimit) {
    int64_t count = type.getNumElements();
    bool isList =
        index < 0 && type.getRank() == 1 && count > 1 && count <= longestList;
    if (isList) {
      interval = of(value, 0, depth + 1);
      for (int64_t i = 1; i < count; ++i)
        interval = hullOf(interval, of(value, i, depth + 1));
    } else {
      interval = compute(value, index, depth + 1);
    }
  }
  Operation *op = value.getDefiningOp();
  bool isArithmetic =
      !op ||
      isa<graph::AddOp, graph::SubOp, graph::MulOp, graph::NegOp, graph::AbsOp,
          graph::CastOp, graph::ReduceSumOp, graph::ReduceProdOp>(op);
  interval = withinType(interval, type.getElementType(), isArithmetic);
  known[{value, index}] = interval;
  return interval;
}

std::optional<bool> Intervals::valueOf(Value condition) {
  if (std::optional<bool> known = knownBoolean(condition))
    return known;
  Interval interval = of(condition);
  if (interval.low == interval.high)
    return interval.low != 0;
  return std::nullopt;
}

Interval Intervals::compute(Value value, int64_t index, unsigned depth) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constantInterval(constant, index);
  Operation *op = value.getDefiningOp();
  if (!op)
    return all();
  RankedTensorType type = typeOf(value);
  if (index >= 0)
    if (std::optional<Interval> element = ofMoved(op, index, depth))
      return *element;
  bool isInteger = isa<IntegerType>(type.getElementType());
  // Of an operand of the result's shape the same element.
  auto operand = [&](unsigned i) {
    Value x = op->getOperand(i);
    bool isAlike = typeOf(x).getShape() == type.getShape();
    return of(x, isAlike ? index : -1, depth);
  };
  auto compare = [&](auto never, auto always) {
    Interval x = operand(0), y = operand(1);
    if (always(x, y))
      return Interval{1, 1};
    return never(x, y) ? Interval{0, 0} : Interval{0, 1};
  };
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case<graph::ReshapeOp, graph::BroadcastOp, graph::TransposeOp,
            graph::SliceOp, graph::DynamicSliceOp, graph::ReverseOp,
            graph::GatherOp>(
          [&](auto) { return of(op->getOperand(0), -1, depth); })
      .Case([&](graph::ReduceMaxOp each) {
        return reduced(each.getX(), type, greatest, depth);
      })
      .Case([&](graph::ReduceMinOp each) {
        return reduced(each.getX(), type, least, depth);
      })
      .Case([&](graph::ReduceProdOp each) {
        int64_t count = typeOf(each.getX()).getNumElements();
        if (type.getNumElements() != 1 || count == 0 || count > longestList)
          return all();
        return reduced(each.getX(), type, productOf, depth);
      })
      .Case([&](graph::CastOp cast) {
        Interval x = operand(0);
        bool cuts =
            isInteger && isa<FloatType>(typeOf(cast.getX()).getElementType());
        // What is not a number becomes the lowest integer.
        return cuts && !std::isinf(x.low)
                   ? Interval{std::trunc(x.low), std::trunc(x.high)}
               : cuts ? Interval{-HUGE_VAL, std::trunc(x.high)}
                      : x;
      })
      .Case([&](graph::ConcatOp concat) {
        Interval hull = of(concat->getOperand(0), -1, depth);
        for (Value input : concat->getOperands().drop_front())
          hull = hullOf(hull, of(input, -1, depth));
        return hull;
      })
      .Case([&](graph::AddOp) { return sumOf(operand(0), operand(1)); })
      .Case([&](graph::SubOp) {
        Interval y = operand(1);
        return sumOf(operand(0), {-y.high, -y.low});
      })
      .Case([&](graph::MulOp) { return productOf(operand(0), operand(1)); })
      .Case<graph::DivOp, graph::FloorDivOp>([&](auto) {
        Interval y = operand(1);
        if (y.low <= 0)
          return all();
        Interval x = corners(operand(0), y, [](double a, double c) {
          return std::isinf(c) ? 0 : a / c;
        });
        if (isa<graph::FloorDivOp>(op))
          return Interval{std::floor(x.low), std::floor(x.high)};
        return isInteger ? Interval{std::trunc(x.low), std::trunc(x.high)} : x;
      })
      .Case([&](graph::FloorModOp) {
        Interval x = operand(0), y = operand(1);
        if (y.low <= 0 || std::isinf(y.high))
          return all();
        if (x.low >= 0 && x.high < y.low)
          return x;
        return Interval{0, isInteger ? y.high - 1 : y.high};
      })
      .Case([&](graph::MaximumOp) { return greatest(operand(0), operand(1)); })
      .Case([&](graph::MinimumOp) { return least(operand(0), operand(1)); })
      .Case([&](graph::SelectOp) {
        Interval condition = operand(0);
        if (condition.low == condition.high)
          return operand(condition.low != 0 ? 1 : 2);
        if (typeOf(op->getOperand(0)).getNumElements() == 1)
          conditions.insert(op->getOperand(0));
        return hullOf(operand(1), operand(2));
      })
      .Case([&](graph::NegOp) {
        Interval x = operand(0);
        return Interval{-x.high, -x.low};
      })
      .Case([&](graph::AbsOp) {
        Interval x = operand(0);
        double most = std::max(std::abs(x.low), std::abs(x.high));
        return x.low >= 0 ? x : Interval{0, most};
      })
      .Case([&](graph::FloorOp) {
        Interval x = operand(0);
        return Interval{std::floor(x.low), std::floor(x.high)};
      })
      .Case([&](graph::CeilOp) {
        Interval x = operand(0);
        return Interval{std::ceil(x.low), std::ceil(x.high)};
      })
      .Case([&](graph::RoundOp) {
        Interval x = operand(0);
        return Interval{std::floor(x.low), std::ceil(x.high)};
      })
      .Case([&](graph::LessOp) {
        return compare([](Interval x, Interval y) { return x.low >= y.high; },
                       [](Interval x, Interval y) { return x.high < y.low; });
      })
      .Case([&](graph::LessEqualOp) {
        return compare([](Interval x, Interval y) { return x.low > y.high; },
                       [](Interval x, Interval y) { return x.high <= y.low; });
      })
      .Case([&](graph::GreaterOp) {
        return compare([](Interval x, Interval y) { return x.high <= y.low; },
                       [](Interval x, Interval y) { return x.low > y.high; });
      })
      .Case([&](graph::GreaterEqualOp) {
        return compare([](Interval x, Interval y) { return x.high < y.low; },
                       [](Interval x, Interval y) { return x.low >= y.high; });
      })
      .Case([&](graph::EqualOp) { return compare(areApart, areOne); })
      .Case([&](graph::NotEqualOp) { return compare(areOne, areApart); })
      .Case([&](graph::LogicalAndOp) { return least(operand(0), operand(1)); })
      .Case(
          [&](graph::LogicalOrOp) { return greatest(operand(0), operand(1)); })
      .Case([&](graph::LogicalNotOp) {
        Interval x = operand(0);
        return Interval{1 - x.high, 1 - x.low};
      })
      .Case([&](graph::IotaOp iota) {
        int64_t count = type.getDimSize(iota.getAxis());
        return Interval{0, static_cast<double>(count - 1)};
      })
      .Case([&](graph::ReduceSumOp each) {
        int64_t from = typeOf(each.getX()).getNumElements();
        int64_t left = std::max<int64_t>(type.getNumElements(), 1);
        if (left == 1 && from > 0 && from <= longestList)
          return reduced(each.getX(), type, sumOf, depth);
        double count = static_cast<double>(from / left);
        return productOf(of(each.getX(), -1, depth), {count, count});
      })
      .Case<graph::ArgMaxOp, graph::ArgMinOp>([&](auto arg) {
        int64_t count = typeOf(arg.getX()).getDimSize(arg.getAxis());
        return Interval{0, static_cast<double>(count - 1)};
      })
      .Case([&](graph::SuppressOp suppress) {
        auto limit = static_cast<double>(suppress.getLimit());
        auto last = typeOf(suppress.getBoxes()).getDimSize(0) - 1.0;
        return value == suppress.getCount()     ? Interval{0, limit}
               : value == suppress.getIndices() ? Interval{0, last}
                                                : all();
      })
      .Case([&](graph::TopKOp top) {
        RankedTensorType from = typeOf(top.getX());
        if (value == top.getIndices() && from.getRank())
          return Interval{0, from.getShape().back() - 1.0};
        return of(top.getX(), -1, depth);
      })
      .Case([&](graph::SearchSortedOp search) {
        RankedTensorType from = typeOf(search.getSorted());
        if (!from.getRank())
          return all();
        return Interval{0, static_cast<double>(from.getShape().back())};
      })
      .Case([&](graph::SortOp sort) {
        unsigned number = llvm::cast<OpResult>(value).getResultNumber();
        return of(sort.getInputs()[number], -1, depth);
      })
      .Case([&](graph::PadOp pad) {
        return hullOf(of(pad.getX(), -1, depth), of(pad.getValue(), -1, depth));
      })
      .Default([](Operation *) { return all(); });
}

/// Of an op that moves elements of lists, the one that becomes this element.
std::optional<Interval> Intervals::ofMoved(Operation *op, int64_t index,
                                           unsigned depth) {
  if (auto from = movedFrom(op, index))
    return of(from->tensor, from->index, depth);
  if (auto gather = dyn_cast<graph::GatherOp>(op);
      gather && typeOf(gather.getX()).getRank() == 1) {
    Interval at = of(gather.getIndices(), index, depth);
    int64_t last = typeOf(gather.getX()).getNumElements() - 1;
    if (at.low == at.high && last >= 0)
      return of(gather.getX(),
                static_cast<int64_t>(
                    std::clamp<double>(at.low, 0, static_cast<double>(last))),
                depth);
  }
  return std::nullopt;
}

Interval Intervals::reduced(Value list, RankedTensorType type,
                            Interval (*combine)(Interval, Interval),
                            unsigned depth) {
  int64_t count = typeOf(list).getNumElements();
  if (type.getNumElements() != 1 || count > longestList || count == 0)
    return of(list, -1, depth);
  Interval result = of(list, 0, depth);
  for (int64_t i = 1; i < count; ++i)
    result = combine(result, of(list, i, depth));
  return result;
}

} // namespace weir
