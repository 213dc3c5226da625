// Ranges of values by cases: n where n <= 100, and 100 else, is at most 100.

#include "compiler/import/bounded/ranges/Cases.h"

#include "compiler/import/Build.h"
#include "compiler/import/Elements.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"
#include <cmath>

using namespace mlir;

namespace weir {

/// Values that depend on more conditions are not looked at by cases.
constexpr size_t maxConditions = 6;

static Interval common(Interval x, Interval y) {
  return {std::max(x.low, y.low), std::min(x.high, y.high)};
}

bool Intervals::narrow(Value scalar, Interval interval, unsigned depth) {
  // Before anything is assumed of it.
  interval = common(Intervals().of(scalar), interval);
  if (auto found = known.find({scalar, 0}); found != known.end())
    interval = common(found->second, interval);
  if (interval.low > interval.high)
    return false;
  known[{scalar, 0}] = interval;
  Operation *op = scalar.getDefiningOp();
  if (!op || depth == 0 || typeOf(scalar).getElementType().isInteger(1))
    return true;
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    return narrow(reshape.getX(), interval, depth - 1);
  // What wraps says nothing of what it was.
  if (auto cast = dyn_cast<graph::CastOp>(op)) {
    Type from = typeOf(cast.getX()).getElementType();
    Interval whole = Intervals().of(cast.getX());
    bool fits = from.isSignlessInteger() && !from.isInteger(1) &&
                whole.low >= -std::ldexp(1.0, 31) &&
                whole.high < std::ldexp(1.0, 31) &&
                typeOf(scalar).getElementTypeBitWidth() >= 32;
    return !fits || narrow(cast.getX(), interval, depth - 1);
  }
  if (isa<graph::AddOp, graph::SubOp>(op)) {
    auto by = knownNumber(op->getOperand(1));
    Interval whole = Intervals().of(op->getOperand(0));
    if (!by || std::abs(whole.low) > std::ldexp(1.0, 30) ||
        std::abs(whole.high) > std::ldexp(1.0, 30) ||
        std::abs(static_cast<double>(*by)) > std::ldexp(1.0, 29))
      return true;
    double moved = isa<graph::AddOp>(op) ? -*by : *by;
    return narrow(op->getOperand(0),
                  {interval.low + moved, interval.high + moved}, depth - 1);
  }
  return true;
}

bool Intervals::assume(Value condition, bool holds) {
  double outcome = holds ? 1 : 0;
  known[{condition, 0}] = {outcome, outcome};
  Operation *op = condition.getDefiningOp();
  if (!op || !isa<graph::LessOp, graph::LessEqualOp, graph::GreaterOp,
                  graph::GreaterEqualOp>(op))
    return true;
  Value x = op->getOperand(0), y = op->getOperand(1);
  if (!isa<IntegerType>(typeOf(x).getElementType()) ||
      typeOf(x).getNumElements() != 1 || typeOf(y).getNumElements() != 1)
    return true;
  // As x < y or x <= y.
  bool isStrict = isa<graph::LessOp, graph::GreaterOp>(op);
  if (isa<graph::GreaterOp, graph::GreaterEqualOp>(op))
    std::swap(x, y);
  if (!holds) {
    std::swap(x, y);
    isStrict = !isStrict;
  }
  double gap = isStrict ? 1 : 0;
  Interval less = Intervals().of(x), more = Intervals().of(y);
  return narrow(x, {-HUGE_VAL, more.high - gap}) &&
         narrow(y, {less.low + gap, HUGE_VAL});
}

Interval intervalOf(Value value) {
  Intervals plain;
  Interval interval = plain.of(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getNumElements() != 1 ||
      !isa<IntegerType>(type.getElementType()) ||
      plain.conditions.size() > maxConditions)
    return interval;
  for (Value condition : plain.conditions) {
    std::optional<Interval> both;
    for (bool holds : {false, true}) {
      Intervals assumed;
      if (!assumed.assume(condition, holds))
        continue;
      Interval one = assumed.of(value);
      both = both ? Interval{std::min(both->low, one.low),
                             std::max(both->high, one.high)}
                  : one;
    }
    if (both)
      interval = common(interval, *both);
  }
  return interval;
}

std::optional<bool> booleanOf(Value condition) {
  return Intervals().valueOf(condition);
}

} // namespace weir
