// Special functions whose series go on until they have converged: loops. They
// fold only where MLIR folds loops, which is nowhere.

#include "dialects/graph/elementwise/Scalar.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::graph::scalar {

static const double infinity = std::numeric_limits<double>::infinity();
static const double notANumber = std::numeric_limits<double>::quiet_NaN();
static const double precision = 1.1102230246251565e-16;
// More steps than any series here needs where it converges at all.
static const double stepLimit = 20000;

using Scalars = SmallVector<Scalar>;

/// Repeats `step` on `state` while `goesOn` (its first value, a Boolean)
/// holds; at most `stepLimit` times. The last value counts the steps.
static Scalars iterate(Scalar goesOn, Scalars state,
                       function_ref<Scalars(ArrayRef<Scalar>)> step) {
  OpBuilder &b = *goesOn.b;
  Location loc = goesOn.loc;
  state.insert(state.begin(), goesOn);
  state.push_back(state.back().constant(0.0));
  SmallVector<Value> inits(state.begin(), state.end());
  auto scalars = [&](ValueRange values) {
    Scalars result;
    for (Value value : values)
      result.emplace_back(b, loc, value);
    return result;
  };
  auto loop = b.create<scf::WhileOp>(
      loc, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        Scalar count(inner, loc, args.back());
        Scalar more = Scalar(inner, loc, args.front()) & (count < stepLimit);
        inner.create<scf::ConditionOp>(loc, more, args);
      },
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        Scalars values;
        for (Value value : args)
          values.emplace_back(inner, loc, value);
        Scalars next = step(values);
        next.push_back(values.back() + 1.0);
        SmallVector<Value> yielded(next.begin(), next.end());
        inner.create<scf::YieldOp>(loc, yielded);
      });
  return scalars(loop.getResults());
}

static Scalar toDouble(Scalar x) { return x.to(x.b->getF64Type()); }

/// x^a exp(-x) / gamma(a), for positive operands.
static Scalar gammaDensity(Scalar a, Scalar x) {
  Scalar plain = exp(a * log(x) - x - lgamma(a));
  // The same by Stirling's series, whose terms are small where both are large.
  Scalar square = 1.0 / (a * a);
  Scalar rest = (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260))) / a;
  const double inverseOfTwoPi = 0.15915494309189533577;
  Scalar distance = (x - a) / a;
  Scalar near =
      exp(a * (log1p(distance) - distance) - rest) * sqrt(a * inverseOfTwoPi);
  return select(a > 200.0, near, plain);
}

struct IncompleteGamma {
  Scalar lower, upper;
};

/// Both halves of the regularised incomplete gamma function, for `a` above 0
/// and `x` above 0 and finite.
static IncompleteGamma incompleteGamma(Scalar a, Scalar x, Scalar isValid) {
  Scalar density = gammaDensity(a, x);
  Scalar bySeries = x < a + 1.0;
  // x^a exp(-x) / gamma(a) times the sum of x^n / (a (a + 1) ... (a + n))
  Scalar first = 1.0 / a;
  Scalars series = iterate(isValid & bySeries, {first, first, a},
                           [&](ArrayRef<Scalar> s) -> Scalars {
                             Scalar n = s[3] + 1.0, term = s[2] * x / n,
                                    sum = s[1] + term;
                             return {term > sum * precision, sum, term, n};
                           });
  // And by the continued fraction of Legendre, evaluated as Lentz does.
  const double tiny = 1e-300;
  Scalar start = x + 1.0 - a;
  Scalar d = 1.0 / select(start == 0.0, tiny, start);
  Scalars fraction = iterate(
      isValid & (bySeries ^ bySeries.constant(1.0)),
      {d, x.constant(1.0 / tiny), d, start, x.constant(0.0)},
      [&](ArrayRef<Scalar> s) -> Scalars {
        Scalar n = s[5] + 1.0, base = s[4] + 2.0;
        Scalar numerator = n * (a - n);
        Scalar below = numerator * s[3] + base;
        Scalar d = 1.0 / select(abs(below) < tiny, tiny, below);
        Scalar c = base + numerator / s[2];
        c = select(abs(c) < tiny, tiny, c);
        Scalar change = c * d;
        return {
            abs(change - 1.0) > precision * 2.0, s[1] * change, c, d, base, n};
      });
  Scalar lower = density * series[1], upper = density * fraction[1];
  return {select(bySeries, lower, 1.0 - upper),
          select(bySeries, 1.0 - lower, upper)};
}

static Scalar incomplete(Scalar a, Scalar x, bool isUpper) {
  Type type = x.type();
  a = toDouble(a);
  x = toDouble(x);
  Scalar isValid = (a > 0.0) & (x >= 0.0) & (a < infinity);
  Scalar isInside = isValid & (x > 0.0) & (x < infinity);
  Scalar safeA = select(isInside, a, 1.0), safeX = select(isInside, x, 1.0);
  IncompleteGamma both = incompleteGamma(safeA, safeX, isInside);
  Scalar atZero = x.constant(isUpper ? 1.0 : 0.0);
  Scalar atInfinity = x.constant(isUpper ? 0.0 : 1.0);
  Scalar y = isUpper ? both.upper : both.lower;
  y = select(x == 0.0, atZero, y);
  y = select(x == infinity, atInfinity, y);
  return select(isValid, y, notANumber).to(type);
}

Scalar igamma(Scalar a, Scalar x) { return incomplete(a, x, false); }

Scalar igammac(Scalar a, Scalar x) { return incomplete(a, x, true); }

/// Of operands that converge: the terms below 10, then what Euler and
/// Maclaurin's formula makes of the rest.
static Scalar zetaOfDouble(Scalar x, Scalar q, Scalar isValid) {
  Scalar none = q.constant(0.0);
  Scalars sum = iterate(isValid & (q < 10.0), {none, q},
                        [&](ArrayRef<Scalar> s) -> Scalars {
                          Scalar next = s[2] + 1.0;
                          return {next < 10.0, s[1] + pow(s[2], -x), next};
                        });
  Scalar a = sum[2], power = pow(a, -x);
  Scalar rest = power * a / (x - 1.0) + 0.5 * power;
  // B(2n) / (2n)!
  static const double coefficients[] = {1.0 / 12,
                                        -1.0 / 720,
                                        1.0 / 30240,
                                        -1.0 / 1209600,
                                        1.0 / 47900160,
                                        -691.0 / 1307674368000,
                                        1.0 / 74724249600,
                                        -3617.0 / 10670622842880000,
                                        43867.0 / 5109094217170944000,
                                        -174611.0 / 802857662698291200000.0};
  Scalar factor = x * power / a;
  Scalar square = 1.0 / (a * a);
  double term = 1;
  for (double coefficient : coefficients) {
    rest = rest + factor * coefficient;
    factor = factor * (x + term) * (x + (term + 1)) * square;
    term += 2;
  }
  // A power that has vanished times one that overflows is still nothing.
  rest = select(power == 0.0, 0.0, rest);
  return sum[1] + rest;
}

Scalar zeta(Scalar x, Scalar q) {
  Type type = x.type();
  x = toDouble(x);
  q = toDouble(q);
  Scalar isPole = (q <= 0.0) & (q == floor(q));
  Scalar isPower = (q > 0.0) | (x == floor(x));
  Scalar isValid =
      (x > 1.0) & isPower & (isPole ^ isPole.constant(1.0)) & (q > -stepLimit);
  Scalar y =
      zetaOfDouble(select(isValid, x, 2.0), select(isValid, q, 1.0), isValid);
  y = select(isValid, y, notANumber);
  y = select(isPole & (x > 1.0), infinity, y);
  return select(x == 1.0, infinity, y).to(type);
}

Scalar polygamma(Scalar n, Scalar x) {
  Type type = x.type();
  n = toDouble(n);
  x = toDouble(x);
  Scalar isOrder = (n >= 0.0) & (n == floor(n)) & (n < infinity);
  // (-1)^(n + 1) n! zeta(n + 1, x)
  Scalar half = n * 0.5;
  Scalar isEven = half == floor(half);
  Scalar magnitude = exp(lgamma(n + 1.0)) * zeta(n + 1.0, x);
  Scalar y = select(isEven, -magnitude, magnitude);
  y = select(n == 0.0, digamma(x), y);
  return select(isOrder, y, notANumber).to(type);
}

/// The continued fraction of the incomplete beta function, as Lentz evaluates
/// it, where x < (a + 1) / (a + b + 2).
static Scalar betaFraction(Scalar a, Scalar b, Scalar x, Scalar isValid) {
  const double tiny = 1e-300;
  auto kept = [&](Scalar y) { return select(abs(y) < tiny, tiny, y); };
  Scalar d = 1.0 / kept(1.0 - (a + b) * x / (a + 1.0));
  Scalars fraction = iterate(
      isValid, {d, x.constant(1.0), d, x.constant(0.0)},
      [&](ArrayRef<Scalar> s) -> Scalars {
        Scalar m = s[4] + 1.0, twice = 2.0 * m;
        Scalar even = m * (b - m) * x / ((a + twice - 1.0) * (a + twice));
        Scalar d = 1.0 / kept(1.0 + even * s[3]);
        Scalar c = kept(1.0 + even / s[2]);
        Scalar value = s[1] * c * d;
        Scalar odd =
            -(a + m) * (a + b + m) * x / ((a + twice) * (a + twice + 1.0));
        d = 1.0 / kept(1.0 + odd * d);
        c = kept(1.0 + odd / c);
        Scalar change = c * d;
        return {abs(change - 1.0) > precision * 2.0, value * change, c, d, m};
      });
  return fraction[1];
}

Scalar betainc(Scalar a, Scalar b, Scalar x) {
  Type type = x.type();
  a = toDouble(a);
  b = toDouble(b);
  x = toDouble(x);
  Scalar isValid = (a > 0.0) & (b > 0.0) & (x >= 0.0) & (x <= 1.0) &
                   (a < infinity) & (b < infinity);
  Scalar isInside = isValid & (x > 0.0) & (x < 1.0);
  Scalar p = select(isInside, a, 1.0), q = select(isInside, b, 1.0);
  Scalar y = select(isInside, x, 0.5);
  Scalar isTurned = y > (p + 1.0) / (p + q + 2.0);
  Scalar scale = lgamma(p + q) - lgamma(p) - lgamma(q);
  Scalar density = exp(p * log(y) + q * log1p(-y) + scale);
  Scalar first = select(isTurned, q, p), second = select(isTurned, p, q);
  Scalar at = select(isTurned, 1.0 - y, y);
  Scalar value = density * betaFraction(first, second, at, isInside) / first;
  value = select(isTurned, 1.0 - value, value);
  value = select(x == 0.0, 0.0, value);
  value = select(x == 1.0, 1.0, value);
  return select(isValid, value, notANumber).to(type);
}

} // namespace weir::graph::scalar
