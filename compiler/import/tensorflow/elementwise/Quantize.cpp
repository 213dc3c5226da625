// Floats as integers of few bits that stand for a range, and back.

#include "compiler/import/tensorflow/elementwise/Quantize.h"

#include "compiler/import/tensorflow/Gradients.h"
#include "compiler/import/tensorflow/elementwise/Operands.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Reduce.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace weir::tensorflow {
namespace {

constexpr double maxFloat = std::numeric_limits<float>::max();

Expr less(Expr x, Expr y) { return apply<graph::LessOp>(x, y); }

/// The least of the type's numbers and the greatest.
struct Codes {
  double first, last;
  bool isSigned;

  explicit Codes(Type type) {
    unsigned bits = type.getIntOrFloatBitWidth();
    isSigned = !type.isUnsignedInteger();
    double count = std::ldexp(1.0, static_cast<int>(bits));
    first = isSigned ? -count / 2 : 0;
    last = first + count - 1;
  }
};

/// The numbers of a type that QuantizeV2 and Dequantize take.
bool isCode(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  unsigned bits = integer ? integer.getWidth() : 0;
  return bits == 8 || bits == 16 || (bits == 32 && integer.isSignless());
}

/// Halves go away from 0.
Expr roundAway(Expr x) {
  Expr whole = apply<graph::TruncOp>(x);
  Expr isHalf = apply<graph::GreaterEqualOp>(apply<graph::AbsOp>(x - whole),
                                             whole.like(0.5));
  return select(isHalf, whole + apply<graph::SignOp>(x), whole);
}

/// Limits: scalars or, along `axis`, one for each index, in f32 or wider.
struct Limits {
  Expr low, high;
  /// The operands' own shape, for results like them.
  SmallVector<int64_t> shape;
  bool isSliced = false;
};

/// The limits in operands 1 and 2 for `x`.
FailureOr<Limits> limitsOf(Node &node, Expr x, int64_t axis) {
  if (node.size() < 3)
    return node.error() << "has " << node.size() << " operands instead of 3";
  Expr low = operand(node, 1), high = operand(node, 2);
  if (axis < -1 || axis >= x.rank())
    return node.error() << "axis " << axis << " is none of " << x.rank()
                        << " dimensions";
  int64_t count = axis < 0 ? 1 : x.size(axis);
  if (!isa<FloatType>(low.elementType()) || low.type() != high.type() ||
      low.type().getNumElements() != count)
    return node.error() << "has no " << count << " ranges from " << low.type()
                        << " to " << high.type();
  Limits limits{low, high, SmallVector<int64_t>(low.shape()), axis >= 0};
  SmallVector<int64_t> shape(limits.isSliced ? x.rank() : 0, 1);
  if (limits.isSliced)
    shape[axis] = count;
  limits.low = reshape(low, shape);
  limits.high = reshape(high, shape);
  // An error where a range is upside down, as in TensorFlow.
  if (failed(check(node, apply<graph::LessEqualOp>(limits.low, limits.high),
                   "the range's minimum is above its maximum")))
    return failure();
  return limits;
}

/// A limit's share of the greatest scale that keeps it within the numbers: of
/// none where it is 0 or of the other sign than its last number.
Expr scaleOf(double last, Expr limit) {
  Expr counts = less(limit.like(0), limit * last);
  Expr safe = select(counts, limit, limit.like(1));
  return select(counts, limit.like(last) / safe,
                limit.like(limit.elementType().isF64()
                               ? std::numeric_limits<double>::max()
                               : maxFloat));
}

LogicalResult quantize(Node &node) {
  Expr x = operand(node, 0);
  Type type = node.typeAttr("T");
  if (!x || !x.elementType().isF32() || !type || !isCode(type))
    return node.error() << "does not make numbers of "
                        << (x ? Type(x.type()) : node.b.getNoneType());
  StringRef mode = node.stringAttr("mode", "MIN_COMBINED");
  StringRef round = node.stringAttr("round_mode", "HALF_AWAY_FROM_ZERO");
  bool toEven = round == "HALF_TO_EVEN";
  if (mode != "MIN_COMBINED" && mode != "MIN_FIRST" && mode != "SCALED")
    return node.unsupported("mode '" + mode + "'");
  if ((!toEven && round != "HALF_AWAY_FROM_ZERO") ||
      (toEven && mode != "SCALED"))
    return node.unsupported("round mode '" + round + "' in mode '" + mode +
                            "'");
  int64_t axis = node.intAttr("axis", -1);
  auto limits = limitsOf(node, x, axis);
  if (failed(limits))
    return failure();
  if (limits->isSliced && mode == "MIN_FIRST")
    return node.unsupported("mode 'MIN_FIRST' along an axis");
  Expr low = minimum(limits->low, limits->low.like(0));
  Expr widest = maximum(apply<graph::AbsOp>(limits->low),
                        apply<graph::AbsOp>(limits->high));
  Expr least = maximum(widest, widest.like(1)) *
               node.floatAttr("ensure_minimum_range", 0.01f);
  Expr high = maximum(maximum(limits->high, low + least), low.like(0));
  Codes codes(type);
  double steps = codes.last - codes.first;
  Expr y;
  if (mode == "MIN_COMBINED") {
    Expr scale = low.like(steps) / (high - low);
    Expr offset = (maximum(minimum(x, high), low) - low) * scale;
    y = codes.isSigned ? roundAway(offset - (steps + 1) / 2)
                       : apply<graph::FloorOp>(offset + 0.5);
  } else if (mode == "MIN_FIRST") {
    Expr scale = low.like(steps) / (high - low);
    y = roundAway(x * scale) - (roundAway(low * scale) - codes.first);
    y = clamp(y, codes.first, std::min(codes.last, 2147483520.0));
  } else {
    double first = codes.first + (node.boolAttr("narrow_range") ? 1 : 0);
    Expr scale = minimum(scaleOf(first, low), scaleOf(codes.last, high));
    low = low.like(first) / scale;
    high = high.like(codes.last) / scale;
    y = maximum(minimum(x, high), low) * scale;
    y = toEven ? apply<graph::RoundOp>(y) : roundAway(y);
  }
  ArrayRef<int64_t> shape = limits->shape;
  if (!limits->isSliced)
    shape = {};
  return give(node, {cast(y, type), reshape(low, shape), reshape(high, shape)});
}

LogicalResult dequantize(Node &node) {
  Expr x = operand(node, 0);
  if (!x || !isCode(x.elementType()))
    return node.error() << "does not take "
                        << (x ? Type(x.type()) : node.b.getNoneType());
  Type type = node.typeAttr("dtype");
  if (!type)
    type = node.b.getF32Type();
  StringRef mode = node.stringAttr("mode", "MIN_COMBINED");
  if (!isa<FloatType>(type))
    return node.unsupported("its element type");
  auto limits = limitsOf(node, x, node.intAttr("axis", -1));
  if (failed(limits))
    return failure();
  if (!limits->low.elementType().isF32())
    return node.error() << "its range is of " << limits->low.elementType();
  if (limits->isSliced && mode == "MIN_FIRST")
    return node.unsupported("mode 'MIN_FIRST' along an axis");
  Codes codes(x.elementType());
  double steps = codes.last - codes.first;
  Expr low = limits->low, high = limits->high, scale = (high - low) / steps;
  Expr y = cast(x, node.b.getF32Type());
  if (mode == "MIN_COMBINED") {
    y = (y + (codes.isSigned ? (steps + 1) / 2 : 0)) * scale + low;
  } else if (mode == "MIN_FIRST") {
    Expr isPoint = apply<graph::EqualOp>(low, high);
    Expr safe = select(isPoint, scale.like(1), scale);
    low = select(isPoint, low, roundAway(low / safe) * scale);
    y = (y - codes.first) * scale + low;
  } else if (mode == "SCALED") {
    double first = codes.first + (node.boolAttr("narrow_range") ? 1 : 0);
    scale = high / codes.last;
    if (codes.isSigned)
      scale = maximum(low / first, scale);
    y = y * scale;
  } else {
    return node.unsupported("mode '" + mode + "'");
  }
  return give(node, cast(y, type));
}

/// Where the input is within the range, of which there is one for each index
/// of the axis; an error at the node where there is not.
FailureOr<Expr> isInside(Node &node, Expr x, Expr low, Expr high,
                         int64_t axis) {
  if (!x || !low || !high || axis < -1 || axis >= x.rank() ||
      low.type() != high.type() || low.elementType() != x.elementType() ||
      low.type().getNumElements() != (axis < 0 ? 1 : x.size(axis)))
    return node.error() << "does not take a range for each index of axis "
                        << axis;
  SmallVector<int64_t> shape(axis < 0 ? 0 : x.rank(), 1);
  if (axis >= 0)
    shape[axis] = x.size(axis);
  return apply<graph::LogicalAndOp>(
      apply<graph::LessEqualOp>(reshape(low, shape), x),
      apply<graph::LessEqualOp>(x, reshape(high, shape)));
}

/// The floats that numbers of some bits would stand for, with 0 for 0.
LogicalResult quantizeAndBack(Node &node) {
  Expr x = operand(node, 0), given = x;
  if (!x || !isa<FloatType>(x.elementType()))
    return node.error() << "does not take "
                        << (x ? Type(x.type()) : node.b.getNoneType());
  int64_t axis = node.intAttr("axis", -1);
  int64_t bits = node.intAttr("num_bits", 8);
  if (node.op().ends_with("V3")) {
    auto given = node.integer(3);
    if (failed(given))
      return failure();
    bits = *given;
  }
  bool isSigned = node.boolAttr("signed_input", true);
  bool isGiven = node.boolAttr("range_given", node.op().ends_with("V3"));
  StringRef round = node.stringAttr("round_mode", "HALF_TO_EVEN");
  if (bits < 1 || bits > (isSigned ? 62 : 63))
    return node.error() << "has " << bits << " bits";
  if (round != "HALF_TO_EVEN" && round != "HALF_UP")
    return node.unsupported("round mode '" + round + "'");
  Type type = x.elementType();
  // f16 and bf16 are computed in f32.
  bool isShort = type.getIntOrFloatBitWidth() < 32;
  if (isShort)
    x = cast(x, node.b.getF32Type());
  Expr low, high;
  if (isGiven) {
    auto limits = limitsOf(node, x, axis);
    if (failed(limits))
      return failure();
    low = cast(limits->low, x.elementType());
    high = cast(limits->high, x.elementType());
  } else {
    if (axis < -1 || axis >= x.rank())
      return node.error() << "axis " << axis << " is none of " << x.rank()
                          << " dimensions";
    if (x.type().getNumElements() == 0)
      return give(node, cast(x, type));
    SmallVector<int64_t> dims, shape(axis < 0 ? 0 : x.rank(), 1);
    for (int64_t i = 0; i < x.rank(); ++i)
      if (i != axis)
        dims.push_back(i);
    if (axis >= 0)
      shape[axis] = x.size(axis);
    low = Expr(node.b, make<graph::ReduceMinOp>(node.b, x.value, dims));
    high = Expr(node.b, make<graph::ReduceMaxOp>(node.b, x.value, dims));
    low = reshape(low, shape);
    high = reshape(high, shape);
  }
  double half = std::ldexp(1.0, static_cast<int>(bits) - 1);
  double first = isSigned ? -half + node.boolAttr("narrow_range") : 0;
  double last = isSigned ? half - 1 : 2 * half - 1;
  Expr byLow = scaleOf(first, low), byHigh = scaleOf(last, high);
  Expr isLow = less(byLow, byHigh);
  Expr scale = minimum(byLow, byHigh);
  Expr inverse = select(isLow, first == 0 ? low.like(0) : low / first,
                        last == 0 ? high.like(0) : high / last);
  Expr y = x;
  if (isGiven) {
    Expr most = select(isLow, inverse * last, high);
    Expr least = select(isLow, low, inverse * first);
    y = maximum(minimum(y, most), least);
  }
  y = y * scale;
  y = round == "HALF_UP" ? apply<graph::FloorOp>(y + 0.5)
                         : apply<graph::RoundOp>(y);
  // Of the fourth version within the limits, whether these are used or not.
  Expr path = given;
  if (node.op().ends_with("V4") && watchedOf(node.tracer)) {
    FailureOr<Expr> inside =
        isInside(node, given, operand(node, 1), operand(node, 2), axis);
    if (failed(inside))
      return failure();
    path = select(*inside, given, given.like(0));
  }
  return give(node, alongside(node, cast(y * inverse, type), path));
}

/// Passes the gradient on where the input is within the range.
LogicalResult quantizeGradient(Node &node) {
  if (node.size() != 4)
    return node.error() << "has " << node.size() << " operands instead of 4";
  Expr dy = operand(node, 0), x = operand(node, 1), low = operand(node, 2),
       high = operand(node, 3);
  if (dy.type() != x.type())
    return give(node, Expr());
  FailureOr<Expr> within =
      isInside(node, x, low, high, node.intAttr("axis", -1));
  if (failed(within))
    return failure();
  Expr inside = *within;
  return give(node,
              {select(inside, dy, dy.like(0)), zerosOf(low), zerosOf(high)});
}

} // namespace

void addQuantizeHandlers(Handlers &handlers) {
  handlers["QuantizeV2"] = quantize;
  handlers["Dequantize"] = dequantize;
  handlers["QuantizeAndDequantizeV2"] = quantizeAndBack;
  handlers["QuantizeAndDequantizeV3"] = quantizeAndBack;
  handlers["QuantizeAndDequantizeV4"] = quantizeAndBack;
  handlers["QuantizeAndDequantizeV4Grad"] = quantizeGradient;
}

} // namespace weir::tensorflow
