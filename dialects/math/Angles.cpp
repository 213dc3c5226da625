// Functions of angles and their inverses.

#include "dialects/math/Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir {

static constexpr double pi = 3.14159265358979323846;

// The reduction is in f64, where a multiple of pi/2 in three parts is exact
// enough for |x| up to 2^30. Beyond, a float is further from its neighbours
// than a period; the result is then only sure to be in range.
std::pair<Value, Value> MathFunctions::reduceAngle(Value x) {
  Value wideX = b.create<arith::ExtFOp>(f64, x);
  Value magic = wide(6755399441055744.0);
  Value shifted = add(mul(wideX, wide(2 / pi)), magic);
  Value quadrant = b.create<arith::TruncIOp>(
      i32, b.create<arith::AndIOp>(toBits(shifted), bits64(3)));
  Value n = negate(sub(shifted, magic));
  // Parts of 33 bits: products with n below 2^20 and their sums are exact.
  Value r = multiplyAdd(n, wide(1.57079632673412561417e+00), wideX);
  r = multiplyAdd(n, wide(6.07710050630396597660e-11), r);
  r = multiplyAdd(n, wide(2.02226624879595063154e-21), r);
  return {b.create<arith::TruncFOp>(f32, clamp(r, -0.79, 0.79)), quadrant};
}

Value MathFunctions::sinOf(Value r) {
  Value square = mul(r, r);
  return multiplyAdd(polynomial(square, {-0.166666667, 0.00833333183,
                                         -0.000198400638, 2.72469458e-06}),
                     mul(square, r), r);
}

Value MathFunctions::cosOf(Value r) {
  Value square = mul(r, r);
  Value p = polynomial(square, {0.0416666646, -0.00138882919, 2.45455195e-05});
  return multiplyAdd(p, mul(square, square),
                     multiplyAdd(square, real(-0.5), real(1)));
}

Value MathFunctions::sin(Value x) {
  auto [r, quadrant] = reduceAngle(x);
  auto bit = [&, quadrant = quadrant](int64_t mask) -> Value {
    return b.create<arith::CmpIOp>(
        arith::CmpIPredicate::ne, b.create<arith::AndIOp>(quadrant, bits(mask)),
        bits(0));
  };
  Value result = select(bit(1), cosOf(r), sinOf(r));
  result = select(bit(2), negate(result), result);
  // Zero keeps its sign.
  return select(test(Predicate::OEQ, x, real(0)), x, result);
}

Value MathFunctions::cos(Value x) {
  auto [r, quadrant] = reduceAngle(x);
  auto bit = [&](Value from, int64_t mask) -> Value {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                   b.create<arith::AndIOp>(from, bits(mask)),
                                   bits(0));
  };
  Value next = b.create<arith::AddIOp>(quadrant, bits(1));
  Value result = select(bit(quadrant, 1), sinOf(r), cosOf(r));
  return select(bit(next, 2), negate(result), result);
}

Value MathFunctions::tan(Value x) {
  auto [r, quadrant] = reduceAngle(x);
  Value odd = b.create<arith::CmpIOp>(
      arith::CmpIPredicate::ne, b.create<arith::AndIOp>(quadrant, bits(1)),
      bits(0));
  Value s = sinOf(r), c = cosOf(r);
  Value result = div(select(odd, negate(c), s), select(odd, s, c));
  return select(test(Predicate::OEQ, x, real(0)), x, result);
}

Value MathFunctions::smallAsin(Value x, Value square) {
  return mul(mul(x, square),
             polynomial(square, {0.166666663, 0.0750010316, 0.044596626,
                                 0.0311319097, 0.0170058321, 0.0339210076}));
}

// Above 1/2: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
Value MathFunctions::asin(Value x) {
  Value magnitude = abs(x);
  Value isLarge = test(Predicate::OGT, magnitude, real(0.5));
  Value half = mul(sub(real(1), magnitude), real(0.5));
  Value square = select(isLarge, half, mul(x, x));
  Value root = select(isLarge, sqrt(half), magnitude);
  Value rest = smallAsin(root, square);
  Value large = multiplyAdd(
      real(-2), root,
      add(real(pi / 2), multiplyAdd(real(-2), rest, real(-4.37113883e-8))));
  return withSign(select(isLarge, large, add(root, rest)), x);
}

Value MathFunctions::acos(Value x) {
  Value magnitude = abs(x);
  Value isLarge = test(Predicate::OGT, magnitude, real(0.5));
  Value half = mul(sub(real(1), magnitude), real(0.5));
  Value square = select(isLarge, half, mul(x, x));
  Value root = select(isLarge, sqrt(half), x);
  Value rest = smallAsin(root, square);
  // pi/2 - asin(x) for small x; 2 asin(root) or pi less that for large.
  Value small = sub(real(pi / 2), add(root, sub(rest, real(-4.37113883e-8))));
  Value twice = multiplyAdd(real(2), root, add(rest, rest));
  Value negative = test(Predicate::OLT, x, real(0));
  Value mirrored = sub(real(pi), add(twice, real(8.74227766e-8)));
  return select(isLarge, select(negative, mirrored, twice), small);
}

Value MathFunctions::atan(Value x) { return atan2(x, real(1)); }

// The angle of (|x|, |y|), smaller over larger, so in [0, 1]; a second
// reduction by pi/4 leaves at most tan(pi/8).
Value MathFunctions::atan2(Value y, Value x) {
  Value ax = abs(x), ay = abs(y);
  Value steep = test(Predicate::OGT, ay, ax);
  Value larger = select(steep, ay, ax), smaller = select(steep, ax, ay);
  // Scaled so that sums do not overflow and denormals keep their bits.
  Value up = test(Predicate::OLT, larger, real(1e-30));
  Value down = test(Predicate::OGT, larger, real(1e30));
  Value factor = select(up, real(1180591620717411303424.0),
                        select(down, real(0.0009765625), real(1)));
  Value s = mul(smaller, factor), l = mul(larger, factor);
  Value bothInfinite = test(Predicate::OEQ, smaller,
                            real(std::numeric_limits<double>::infinity()));
  Value isLarge = b.create<arith::OrIOp>(
      bothInfinite, test(Predicate::OGT, s, mul(l, real(0.41421356237309503))));
  Value ratio =
      div(select(isLarge, sub(s, l), s), select(isLarge, add(s, l), l));
  Value none = b.create<arith::OrIOp>(bothInfinite,
                                      test(Predicate::OEQ, larger, real(0)));
  ratio = select(none, real(0), ratio);
  Value square = mul(ratio, ratio);
  Value angle =
      multiplyAdd(polynomial(square, {-0.333333319, 0.199995579, -0.142644503,
                                      0.107482373, -0.0646475921}),
                  mul(square, ratio), ratio);
  angle = select(isLarge, add(angle, real(pi / 4)), angle);
  // pi/2 and pi are added in two parts.
  angle =
      select(steep, sub(real(pi / 2), add(angle, real(4.37113883e-8))), angle);
  Value left =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, toBits(x), bits(0));
  angle = select(left, sub(real(pi), add(angle, real(8.74227766e-8))), angle);
  angle = withSign(angle, y);
  return select(test(Predicate::UNO, x, y), add(x, y), angle);
}

} // namespace weir
