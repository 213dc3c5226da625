// Special functions: computed in f64, without branches, and rounded once.

#include "dialects/graph/elementwise/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir::graph::scalar {

static const double infinity = std::numeric_limits<double>::infinity();
static const double notANumber = std::numeric_limits<double>::quiet_NaN();
static const double pi = 3.14159265358979323846;

// exp(x^2) erfc(x) / t by powers of 2 t - 1, where t = 2 / (2 + x): the
// Chebyshev series of degree 28, whose rest is below 1e-17.
static const double erfcSeries[] = {
    0.5107913526210115,      0.34358034220690525,     0.13973604627802749,
    0.018221115753442495,    -0.010755330944755412,   -0.0032395925339865133,
    0.0015453060300572451,   0.0004186480332964868,   -0.00033153676097127948,
    -1.7185737594548938e-05, 7.2235457428937951e-05,  -1.7074336530735702e-05,
    -1.0848610762481446e-05, 8.0600404910281456e-06,  -5.608703424323453e-07,
    -1.8208078384029821e-06, 9.9615002610238963e-07,  -3.0587196456747096e-09,
    -2.7732007857270964e-07, 1.6491163111184633e-07,  -1.1658608593196083e-08,
    -5.7601466971756243e-08, 3.7320706434881306e-08,  6.3538646695051389e-09,
    -1.4244061512167162e-08, 1.2284536350186566e-09,  2.6449441631835325e-09,
    -3.3888695546308687e-10, -2.0568250908502414e-10,
};

// lgamma(x) / ((x - 1) (x - 2)) by powers of 2 x - 3 in 1 .. 2, the same of
// degree 20.
static const double lgammaSeries[] = {
    0.48312895054098087,     -0.072979947957152971,   0.015727850268641094,
    -0.0039135609376317691,  0.0010498186644547402,   -0.00029455070139898493,
    8.5100903734994319e-05,  -2.5094329864078195e-05, 7.5113918556418828e-06,
    -2.2742409034140543e-06, 6.9484280641863117e-07,  -2.1388452890262906e-07,
    6.623878077265301e-08,   -2.0577345254471981e-08, 6.4302607276369653e-09,
    -2.0735267758524892e-09, 6.5664038192631118e-10,  -1.6381596734648426e-10,
    5.0258222095609345e-11,  -3.53647433811882e-11,   1.1586115295157278e-11,
};

// B(2n) / (2n (2n - 1)): Stirling's series of lgamma.
static const double stirlingSeries[] = {
    1.0 / 12,         -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
    1.0 / 1188,       -691.0 / 360360,   1.0 / 156,  -3617.0 / 122400,
    43867.0 / 244188, -174611.0 / 125400};
// B(2n) / 2n: the same of digamma.
static const double digammaSeries[] = {
    1.0 / 12,       -1.0 / 120, 1.0 / 252,      -1.0 / 240,     1.0 / 132,
    -691.0 / 32760, 1.0 / 12,   -3617.0 / 8160, 43867.0 / 14364};

/// The sum of coefficients times powers of x, the first times 1.
static Scalar polynomial(Scalar x, ArrayRef<double> coefficients) {
  Scalar sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = sum * x + coefficient;
  return sum;
}

static Scalar inDouble(Scalar x, Scalar (*function)(Scalar)) {
  return function(x.to(x.b->getF64Type())).to(x.type());
}

static Scalar erfcOfDouble(Scalar x) {
  Scalar magnitude = abs(x);
  Scalar t = 2.0 / (magnitude + 2.0);
  // The square in two parts, one exact: its exponential magnifies errors.
  Scalar head = magnitude.to(x.b->getF32Type()).to(x.type());
  Scalar square =
      exp(-(head * head)) * exp(-((magnitude - head) * (magnitude + head)));
  Scalar y = t * polynomial(2.0 * t - 1.0, erfcSeries) * square;
  // Beyond this the result is no number but 0, and the head is infinite.
  y = select(magnitude > 28.0, 0.0, y);
  y = select(x < 0.0, 2.0 - y, y);
  return select(x == x, y, x);
}

Scalar erfc(Scalar x) { return inDouble(x, erfcOfDouble); }

/// The sine's argument of pi x, less a multiple of pi.
static Scalar remainderOfPi(Scalar x) { return (x - round(x)) * pi; }

Scalar lgammaOfDouble(Scalar x) {
  Scalar magnitude = abs(x);
  // Up to 3: from 1 .. 2, by one step of the recurrence.
  Scalar isBelow = magnitude < 1.0, isAbove = magnitude > 2.0;
  Scalar y = select(isBelow, magnitude + 1.0, magnitude);
  y = select(isAbove, magnitude - 1.0, y);
  // The zeros at 1 and 2 come from differences of what was given: exact.
  Scalar zeros = (select(isAbove, magnitude - 2.0,
                         select(isBelow, magnitude, magnitude - 1.0))) *
                 select(isAbove, magnitude - 3.0,
                        select(isBelow, magnitude - 1.0, magnitude - 2.0));
  Scalar step = log(select(isAbove, y, magnitude));
  Scalar small = zeros * polynomial(2.0 * y - 3.0, lgammaSeries) +
                 select(isAbove, step, select(isBelow, -step, 0.0));
  // Above: Stirling's series from 8 on, which five steps reach.
  Scalar isShort = magnitude < 8.0;
  Scalar product = magnitude;
  for (int i = 1; i < 5; ++i)
    product = product * (magnitude + i);
  Scalar z = select(isShort, magnitude + 5.0, magnitude);
  Scalar inverse = 1.0 / z;
  const double halfLogOfTwoPi = 0.91893853320467274178;
  Scalar large = (z - 0.5) * log(z) - z + halfLogOfTwoPi +
                 inverse * polynomial(inverse * inverse, stirlingSeries);
  large = large - select(isShort, log(product), 0.0);
  Scalar result = select(magnitude < 3.0, small, large);
  result = select(magnitude == infinity, magnitude, result);
  // gamma(x) gamma(-x) = -pi / (x sin(pi x))
  Scalar sine = abs(sin(remainderOfPi(magnitude)));
  Scalar reflected = -log(magnitude * sine / pi) - result;
  // All numbers as large as this are integers.
  Scalar isPole = (x <= 0.0) & (x == round(x));
  reflected = select(isPole, infinity, reflected);
  result = select(x <= 0.0, reflected, result);
  return select(x == x, result, x);
}

Scalar lgamma(Scalar x) { return inDouble(x, lgammaOfDouble); }

Scalar digammaOfDouble(Scalar x) {
  // Below 0: digamma(1 - x) - digamma(x) = pi / tan(pi x)
  Scalar isNegative = x <= 0.0;
  Scalar positive = select(isNegative, 1.0 - x, x);
  Scalar isShort = positive < 8.0;
  Scalar steps = 1.0 / positive;
  for (int i = 1; i < 8; ++i)
    steps = steps + 1.0 / (positive + i);
  Scalar z = select(isShort, positive + 8.0, positive);
  Scalar inverse = 1.0 / z;
  Scalar square = inverse * inverse;
  Scalar y =
      log(z) - 0.5 * inverse - square * polynomial(square, digammaSeries);
  y = y - select(isShort, steps, 0.0);
  y = select(positive == infinity, positive, y);
  Scalar reflected = y - pi / tan(remainderOfPi(x));
  y = select(isNegative, reflected, y);
  return select(isNegative & (x == round(x)), notANumber, y);
}

Scalar digamma(Scalar x) { return inDouble(x, digammaOfDouble); }

} // namespace weir::graph::scalar
