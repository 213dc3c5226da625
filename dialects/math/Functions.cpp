// Exponentials, logarithms and what follows from them.
//
// Each function reduces its argument to a short interval and evaluates a
// polynomial there, fitted to be near minimax in the relative error. All paths
// are computed and selects choose: loops around stay free of branches.

#include "dialects/math/Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace weir {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double log2e = 1.4426950408889634;
// ln(2) in two parts; the first has few bits, so that a product with an
// exponent is exact.
static constexpr double ln2High = 0.693359375, ln2Low = -2.12194440e-4;

// e^r = 1 + r + r^2 P(r).
static constexpr double expCoefficients[] = {
    0.499999934, 0.166665206, 0.0416683881, 0.00836871709, 0.00138145964};

Value MathFunctions::smallExp(Value r, double factor) {
  SmallVector<double> coefficients{factor, factor};
  for (double c : expCoefficients)
    coefficients.push_back(c * factor);
  return polynomial(r, coefficients);
}

Value MathFunctions::withoutLn2(Value x, Integer n) {
  Value r = multiplyAdd(n.value, real(-ln2High), x);
  return multiplyAdd(n.value, real(-ln2Low), r);
}

Value MathFunctions::scaledExp(Value x, int shift) {
  x = clamp(x, -110, 95);
  Integer n = nearest(x, log2e);
  Value result = smallExp(withoutLn2(x, n));
  if (shift)
    n = {add(n.value, real(shift)), add(n.shifted, real(shift))};
  return scale(result, n);
}

Value MathFunctions::exp(Value x) { return scaledExp(x, 0); }

// A power of two in the polynomial leaves room for another that is normal
// where the product is not: nothing but that product is rounded otherwise.
Value MathFunctions::expInOneStep(Value x, int shift) {
  Integer n = nearest(x, log2e, bias - shift);
  Value result = smallExp(withoutLn2(x, n), std::ldexp(1.0, shift));
  return mul(result, powerOfTwo(toBits(n.shifted)));
}

Value MathFunctions::expOfNonpositive(Value x) {
  Value lowest = real(-110);
  x = select(test(Predicate::OLT, x, lowest), lowest, x);
  if (scalesAtOnce) {
    Integer n = nearest(x, log2e);
    return scale(smallExp(withoutLn2(x, n)), n);
  }
  return expInOneStep(x, -64);
}

Value MathFunctions::expBesideOne(Value x) {
  if (scalesAtOnce)
    return exp(x);
  return expInOneStep(clamp(x, -87, 88.8), 1);
}

Value MathFunctions::exp2(Value x) {
  x = clamp(x, -160, 135);
  Integer n = nearest(x);
  return scale(smallExp(mul(sub(x, n.value), real(std::log(2.0)))), n);
}

// 2^n (e^r - 1) + (2^n - 1), at half size so that 2^n does not overflow before
// the result does.
Value MathFunctions::expm1(Value x) {
  Value y = clamp(x, -30, 88.8);
  Integer n = nearest(y, log2e);
  Value r = withoutLn2(y, n);
  Value small = multiplyAdd(polynomial(r, expCoefficients), mul(r, r), r);
  Value half = scale(real(0.5), n);
  Value result = mul(multiplyAdd(half, small, sub(half, real(0.5))), real(2));
  // The low part of ln(2) keeps r exact for n = 0, zero and its sign included.
  Value isSmall = test(Predicate::OLT, abs(x), real(0.34));
  Value plain = multiplyAdd(polynomial(y, expCoefficients), mul(y, y), y);
  return select(test(Predicate::OEQ, x, real(0)), x,
                select(isSmall, plain, result));
}

// ln(2) in two parts as for exponentials, but of one sign: infinities add up.
static constexpr double logHigh = 0.693145751953125, logLow = 1.42860682e-6;

MathFunctions::Logarithm MathFunctions::splitLog(Value x) {
  auto [mantissa, exponent] = scalesAtOnce ? isa->split(b, x) : splitByBits(x);
  Value f = sub(mantissa, real(1));
  Value p =
      polynomial(f, {0.333334491, -0.250000958, 0.199908609, -0.166473123,
                     0.144784005, -0.131611965, 0.104629957, -0.0450744671});
  Value rest = mul(mul(f, f), multiplyAdd(p, f, real(-0.5)));
  return {f, rest, exponent};
}

std::pair<Value, Value> MathFunctions::splitByBits(Value x) {
  // Denormals are scaled to be normal.
  Value denormal = test(Predicate::OLT, x, real(1.17549435e-38));
  Value scaled = mul(x, select(denormal, real(8388608), real(1)));
  Value offset = b.create<arith::SubIOp>(toBits(scaled), bits(0x3f400000));
  Value exponent = b.create<arith::ShRSIOp>(offset, bits(23));
  Value mantissa = fromBits(b.create<arith::SubIOp>(
      toBits(scaled), b.create<arith::ShLIOp>(exponent, bits(23))));
  Value e = b.create<arith::SIToFPOp>(f32, exponent);
  return {mantissa, select(denormal, sub(e, real(23)), e)};
}

Value MathFunctions::specialLog(Value x, Value result) {
  // The instructions that split x have made these.
  if (scalesAtOnce)
    return result;
  result = select(test(Predicate::OLT, x, real(0)), real(NAN), result);
  result = select(test(Predicate::OEQ, x, real(0)), real(-infinity), result);
  // Infinity and what is not a number are their own logarithms.
  return select(test(Predicate::OLT, x, real(infinity)), result, x);
}

Value MathFunctions::log(Value x) {
  auto [f, rest, e] = splitLog(x);
  Value low = multiplyAdd(e, real(logLow), rest);
  return specialLog(x, multiplyAdd(e, real(logHigh), add(f, low)));
}

Value MathFunctions::log2(Value x) {
  auto [f, rest, e] = splitLog(x);
  Value a = real(log2e - 1);
  Value low = multiplyAdd(f, a, multiplyAdd(rest, a, rest));
  return specialLog(x, add(e, add(f, low)));
}

Value MathFunctions::log10(Value x) {
  auto [f, rest, e] = splitLog(x);
  // log10(2) and log10(e) in two parts each.
  Value sum = mul(e, real(2.48745663981195213739e-4));
  sum = multiplyAdd(rest, real(7.00731903251827651129e-4), sum);
  sum = multiplyAdd(f, real(7.00731903251827651129e-4), sum);
  sum = multiplyAdd(rest, real(0.43359375), sum);
  sum = multiplyAdd(f, real(0.43359375), sum);
  return specialLog(x, multiplyAdd(e, real(0.30078125), sum));
}

// log(u) for u = 1 + x, and what rounding left out of u.
Value MathFunctions::log1p(Value x) {
  Value u = add(x, real(1));
  Value lost = sub(x, sub(u, real(1)));
  Value large = test(Predicate::OGT, x, real(1e30));
  lost = select(large, real(0), lost);
  Value positive = test(Predicate::OGT, u, real(0));
  Value result = add(log(u), select(positive, div(lost, u), real(0)));
  return select(test(Predicate::OEQ, x, real(0)), x, result);
}

Value MathFunctions::sinh(Value x) {
  Value magnitude = abs(x);
  Value half = scaledExp(magnitude, -1);
  Value large = sub(half, div(real(0.25), half));
  Value square = mul(x, x);
  Value small =
      multiplyAdd(polynomial(square, {0.166666666, 0.00833333969,
                                      0.000198380989, 2.80630061e-06}),
                  mul(square, magnitude), magnitude);
  Value isSmall = test(Predicate::OLT, magnitude, real(1));
  return withSign(select(isSmall, small, large), x);
}

Value MathFunctions::cosh(Value x) {
  Value half = scaledExp(abs(x), -1);
  return add(half, div(real(0.25), half));
}

// t / (t + 2) for t = e^2x - 1 = 2^n (e^2r - 1) + (2^n - 1), which keeps its
// digits near 0. What n ln(2) / 2 leaves beyond one float is lost on results
// that are near 1 where n is not 0.
Value MathFunctions::tanh(Value x) {
  Value magnitude = abs(x);
  Value nearOne = real(9.02);
  magnitude =
      select(test(Predicate::OGT, magnitude, nearOne), nearOne, magnitude);
  Integer n = nearest(magnitude, 2 * log2e, bias);
  Value power = powerOfTwo(toBits(n.shifted));
  Value r = multiplyAdd(n.value, real(-std::log(2.0) / 2), magnitude);
  Value p =
      polynomial(r, {2, 1.3333239, 0.666669667, 0.26771332, 0.0889486537});
  Value q = multiplyAdd(mul(p, r), r, add(r, r));
  Value t = multiplyAdd(power, q, sub(power, real(1)));
  return withSign(div(t, add(t, real(2))), x);
}

Value MathFunctions::asinh(Value x) {
  // What is larger has no square, and goes by its logarithm.
  Value magnitude = abs(x), near = clamp(magnitude, 0, 2e9);
  Value square = mul(near, near);
  Value root = sqrt(add(square, real(1)));
  Value small = log1p(add(near, div(square, add(root, real(1)))));
  Value large = add(log(magnitude), real(std::log(2.0)));
  Value isLarge = test(Predicate::OGT, magnitude, real(1e9));
  return withSign(select(isLarge, large, small), x);
}

Value MathFunctions::acosh(Value x) {
  Value t = clamp(sub(x, real(1)), -2, 2e9);
  Value small = log1p(add(t, sqrt(multiplyAdd(t, t, add(t, t)))));
  Value large = add(log(x), real(std::log(2.0)));
  Value result = select(test(Predicate::OGT, x, real(1e9)), large, small);
  return select(test(Predicate::OLT, x, real(1)), real(NAN), result);
}

Value MathFunctions::atanh(Value x) {
  Value magnitude = abs(x);
  Value ratio = div(add(magnitude, magnitude), sub(real(1), magnitude));
  return withSign(mul(real(0.5), log1p(ratio)), x);
}

// Near 0 a polynomial, beyond 1 - e^P with P fitted to log(erfc(x)).
Value MathFunctions::erf(Value x) {
  if (tableEntries == 32)
    return erfByEighths(x);
  if (tableEntries == 8)
    return erfByHalves(x);
  Value magnitude = abs(x), t = clamp(magnitude, 0, 4), square = mul(t, t);
  Value small = multiplyAdd(
      polynomial(square, {0.128379167, -0.376126337, 0.112836939, -0.0268592708,
                          0.0052006343, -0.000813743754, 8.34522479e-05}),
      t, t);
  Value logarithm =
      mul(t, polynomial(t, {-1.12846171, -0.63611486, -0.10412161, 0.0211864414,
                            -0.00174433953, -0.000541785273, 0.000225685086,
                            -3.55522432e-05, 2.22308359e-06}));
  Value large = sub(real(1), scaledExp(logarithm, 0));
  Value isSmall = test(Predicate::OLT, magnitude, real(0.93));
  return withSign(select(isSmall, small, large), x);
}

// A third of the exponent, then two steps of Halley's method, the second in
// f64.
Value MathFunctions::cbrt(Value x) {
  Value magnitude = abs(x);
  Value wideX = b.create<arith::ExtFOp>(f64, magnitude);
  Value denormal = test(Predicate::OLT, magnitude, real(1.17549435e-38));
  Value normal = select(denormal, mul(magnitude, real(16777216)), magnitude);
  Value guess = fromBits(b.create<arith::AddIOp>(
      b.create<arith::DivUIOp>(toBits(normal), bits(3)), bits(709921077)));
  guess = select(denormal, mul(guess, real(0.00390625)), guess);
  Value y = b.create<arith::ExtFOp>(f64, guess);
  for (int step = 0; step < 2; ++step) {
    Value cube = mul(mul(y, y), y);
    Value twice = add(wideX, wideX);
    y = div(mul(y, add(cube, twice)), add(add(cube, cube), wideX));
  }
  Value result = b.create<arith::TruncFOp>(f32, y);
  // Zero and what is not finite are their own roots.
  Value finite = test(Predicate::OLT, magnitude, real(infinity));
  Value nonzero = test(Predicate::OGT, magnitude, real(0));
  Value proper = b.create<arith::AndIOp>(finite, nonzero);
  return select(proper, withSign(result, x), x);
}

// m in [sqrt(0.5), sqrt(2)): log2(m) = s P(s^2) for s = (m - 1) / (m + 1).
Value MathFunctions::wideLog2(Value x) {
  Value offset =
      b.create<arith::SubIOp>(toBits(x), bits64(0x3fe6a09e667f3bcdLL));
  Value exponent = b.create<arith::ShRSIOp>(offset, bits64(52));
  Value mantissa = fromBits(b.create<arith::SubIOp>(
      toBits(x), b.create<arith::ShLIOp>(exponent, bits64(52))));
  Value e = b.create<arith::SIToFPOp>(f64, exponent);
  Value s = div(sub(mantissa, wide(1)), add(mantissa, wide(1)));
  SmallVector<double> series;
  for (int k = 0; k < 9; ++k)
    series.push_back(2 * log2e / (2 * k + 1));
  return multiplyAdd(s, widePolynomial(mul(s, s), series), e);
}

Value MathFunctions::pow(Value x, Value y) {
  Value magnitude = abs(x);
  Value logarithm = wideLog2(b.create<arith::ExtFOp>(f64, magnitude));
  Value isZero = test(Predicate::OEQ, x, real(0));
  Value isFinite = test(Predicate::OLT, magnitude, real(infinity));
  Value isNan = test(Predicate::UNO, x, y);
  logarithm = select(isZero, wide(-infinity), logarithm);
  logarithm = select(isFinite, logarithm, wide(infinity));
  Value t = mul(b.create<arith::ExtFOp>(f64, y), logarithm);
  t = clamp(t, -200, 200);
  // The low half of the bits is the integer.
  Value magic = wide(6755399441055744.0 + twoBiases);
  Value shifted = add(t, magic);
  Value integer = b.create<arith::TruncIOp>(i32, toBits(shifted));
  Value r = b.create<arith::TruncFOp>(f32, sub(t, sub(shifted, magic)));
  Value result = scaleByBits(smallExp(mul(r, real(std::log(2.0)))), integer);

  // The sign: that of an odd power, and none of a broken power of a negative.
  Value half = mul(y, real(0.5));
  Value whole = test(Predicate::OEQ, b.create<math::FloorOp>(y), y);
  Value even = test(Predicate::OEQ, b.create<math::FloorOp>(half), half);
  Value negative =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, toBits(x), bits(0));
  Value odd = b.create<arith::AndIOp>(
      whole,
      b.create<arith::XOrIOp>(even, test(Predicate::OEQ, real(0), real(0))));
  Value flips = b.create<arith::AndIOp>(negative, odd);
  result = select(flips, negate(result), result);
  Value below =
      b.create<arith::AndIOp>(test(Predicate::OLT, x, real(0)),
                              test(Predicate::OGT, x, real(-infinity)));
  Value finiteY = test(Predicate::OLT, abs(y), real(infinity));
  Value broken = b.create<arith::AndIOp>(
      b.create<arith::AndIOp>(below, finiteY),
      b.create<arith::XOrIOp>(whole, test(Predicate::OEQ, real(0), real(0))));
  result = select(broken, real(NAN), result);
  result = select(isNan, add(x, y), result);
  Value unit =
      b.create<arith::AndIOp>(test(Predicate::OEQ, magnitude, real(1)),
                              test(Predicate::OEQ, abs(y), real(infinity)));
  Value one = b.create<arith::OrIOp>(
      test(Predicate::OEQ, y, real(0)),
      b.create<arith::OrIOp>(unit, test(Predicate::OEQ, x, real(1))));
  return select(one, real(1), result);
}

} // namespace weir
