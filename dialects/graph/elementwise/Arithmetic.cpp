// Scalar functions of numbers, bits and Booleans.

#include "dialects/graph/elementwise/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir::graph::scalar {

Scalar add(Scalar x, Scalar y) { return x + y; }
Scalar sub(Scalar x, Scalar y) { return x - y; }
Scalar mul(Scalar x, Scalar y) { return x * y; }
Scalar div(Scalar x, Scalar y) { return x / y; }
Scalar neg(Scalar x) { return -x; }

Scalar abs(Scalar x) {
  if (x.isFloat())
    return x.make<math::AbsFOp>(x);
  return x.isUnsigned ? x : select(x < 0.0, -x, x);
}

Scalar sign(Scalar x) {
  if (x.isUnsigned)
    return select(x == 0.0, x, 1.0);
  return select(x > 0.0, x.constant(1.0), select(x < 0.0, -1.0, x));
}

Scalar square(Scalar x) { return x * x; }

Scalar reciprocal(Scalar x) { return 1.0 / x; }

Scalar floor(Scalar x) { return x.isFloat() ? x.make<math::FloorOp>(x) : x; }

Scalar ceil(Scalar x) { return x.isFloat() ? x.make<math::CeilOp>(x) : x; }

Scalar round(Scalar x) {
  return x.isFloat() ? x.make<math::RoundEvenOp>(x) : x;
}

Scalar trunc(Scalar x) { return x.isFloat() ? x.make<math::TruncOp>(x) : x; }

Scalar mod(Scalar x, Scalar y) {
  if (x.isFloat())
    return x.make<arith::RemFOp>(x, y);
  // Nothing remains of a division by 1, nor of the lowest number's by -1.
  Scalar byZero = y == 0.0;
  if (x.isUnsigned)
    return x.make<arith::RemUIOp>(x, select(byZero, 1.0, y));
  return x.make<arith::RemSIOp>(x, select(byZero | (y == -1.0), 1.0, y));
}

Scalar floorDiv(Scalar x, Scalar y) {
  if (x.isFloat())
    return floor(x / y);
  Scalar quotient = x / y;
  if (x.isUnsigned)
    return quotient;
  Scalar below = (mod(x, y) != 0.0) & ((x < 0.0) ^ (y < 0.0));
  return select(below, quotient - 1.0, quotient);
}

Scalar floorMod(Scalar x, Scalar y) {
  Scalar remainder = mod(x, y);
  if (x.isUnsigned)
    return remainder;
  Scalar otherSide = (remainder != 0.0) & ((remainder < 0.0) ^ (y < 0.0));
  return select(otherSide, remainder + y, remainder);
}

/// By squaring, a step for each bit of the exponent. Below 0 an exponent gives
/// the truncated inverse, and 0 for the base 0.
static Scalar integerPow(Scalar x, Scalar y) {
  Scalar result = x.constant(1.0), power = x;
  unsigned bits = x.isUnsigned ? x.width() : x.width() - 1;
  for (unsigned bit = 0; bit < bits; ++bit) {
    Scalar isSet = (y & y.constant(APInt::getOneBitSet(y.width(), bit))) != 0.0;
    result = select(isSet, result * power, result);
    if (bit + 1 < bits)
      power = power * power;
  }
  if (x.isUnsigned)
    return result;
  Scalar isOdd = (y & y.constant(1.0)) != 0.0;
  Scalar inverse =
      select(x == -1.0, select(isOdd, x, 1.0), select(x == 1.0, x, 0.0));
  return select(y < 0.0, inverse, result);
}

Scalar pow(Scalar x, Scalar y) {
  return x.isFloat() ? x.make<math::PowFOp>(x, y) : integerPow(x, y);
}

Scalar maximum(Scalar x, Scalar y) {
  return x.isFloat() ? x.make<arith::MaximumFOp>(x, y) : select(x < y, y, x);
}

Scalar minimum(Scalar x, Scalar y) {
  return x.isFloat() ? x.make<arith::MinimumFOp>(x, y) : select(x > y, y, x);
}

Scalar squaredDifference(Scalar x, Scalar y) { return square(x - y); }

Scalar divNoNan(Scalar x, Scalar y) { return select(y == 0.0, 0.0, x / y); }

Scalar mulNoNan(Scalar x, Scalar y) { return select(y == 0.0, 0.0, x * y); }

Scalar clamp(Scalar x, Scalar low, Scalar high) {
  x = select(x > high, high, x);
  return select(x < low, low, x);
}

/// `y` as a number of places to shift by, within the width.
static Scalar shiftAmount(Scalar x, Scalar y) {
  return clamp(y, y.constant(0.0), y.constant(x.width() - 1));
}

Scalar shiftLeft(Scalar x, Scalar y) {
  return x.make<arith::ShLIOp>(x, shiftAmount(x, y));
}

Scalar shiftRight(Scalar x, Scalar y) {
  return x.isUnsigned ? x.make<arith::ShRUIOp>(x, shiftAmount(x, y))
                      : x.make<arith::ShRSIOp>(x, shiftAmount(x, y));
}

Scalar populationCount(Scalar x) {
  Scalar count = x.make<math::CtPopOp>(x);
  count.isUnsigned = true;
  return count.to(x.b->getI8Type(), true);
}

Scalar nextAfter(Scalar x, Scalar y) {
  Type floating = x.type(), integer = x.integerType();
  Scalar bits = x.bits(integer);
  Scalar one = bits.constant(1.0);
  // The numbers of either sign are in the order of their bits.
  Scalar away = (x < y) ^ (x < 0.0);
  Scalar next = select(away, bits + one, bits - one);
  Scalar least = select(y < 0.0, bits.lowest() + one, one);
  next = select(x == 0.0, least, next);
  Scalar result = select(x == y, y, next.bits(floating));
  return select((x != x) | (y != y), x + y, result);
}

Scalar isNan(Scalar x) { return x != x; }

Scalar isInf(Scalar x) {
  return abs(x) == std::numeric_limits<double>::infinity();
}

Scalar isFinite(Scalar x) {
  return abs(x) < std::numeric_limits<double>::infinity();
}

Scalar equal(Scalar x, Scalar y) { return x == y; }
Scalar notEqual(Scalar x, Scalar y) { return x != y; }
Scalar less(Scalar x, Scalar y) { return x < y; }
Scalar lessEqual(Scalar x, Scalar y) { return x <= y; }
Scalar greater(Scalar x, Scalar y) { return x > y; }
Scalar greaterEqual(Scalar x, Scalar y) { return x >= y; }
Scalar bitAnd(Scalar x, Scalar y) { return x & y; }
Scalar bitOr(Scalar x, Scalar y) { return x | y; }
Scalar bitXor(Scalar x, Scalar y) { return x ^ y; }
Scalar bitNot(Scalar x) { return ~x; }

} // namespace weir::graph::scalar
