// Builds the updates of optimizers.

#include "dialects/graph/build/Updates.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;

namespace weir::graph::build {

static Expr square(Expr x) { return x * x; }
static Expr sqrt(Expr x) { return apply<graph::SqrtOp>(x); }
static Expr abs(Expr x) { return apply<graph::AbsOp>(x); }
static Expr sign(Expr x) { return apply<graph::SignOp>(x); }

/// A moving average after one more value.
static Expr moved(Expr mean, Expr value, Expr decay) {
  return mean + (value - mean) * (1 - decay);
}

/// Soft thresholding, the proximal operator of the L1 norm.
static Expr shrunk(Expr x, Expr by) {
  return by ? sign(x) * maximum(abs(x) - by, by.like(0)) : Expr();
}

Expr norm(Expr x) {
  if (!x)
    return {};
  SmallVector<int64_t> dims(x.rank());
  std::iota(dims.begin(), dims.end(), 0);
  return sqrt(sum(square(x), dims));
}

Updated gradientDescent(Expr x, Expr rate, Expr slope) {
  return {x - rate * slope};
}

Updated momentum(Expr x, Expr speed, Expr rate, Expr slope, Expr decay,
                 bool nesterov) {
  speed = speed * decay + slope;
  Expr by = nesterov ? slope * rate + speed * decay * rate : speed * rate;
  return {x - by, speed};
}

Updated kerasMomentum(Expr x, Expr speed, Expr rate, Expr slope, Expr decay,
                      bool nesterov) {
  speed = speed * decay - rate * slope;
  return {nesterov ? x + (speed * decay - rate * slope) : x + speed, speed};
}

Updated adam(Expr x, const Moments &kept, Expr rate, Expr slope,
             bool nesterov) {
  rate = rate * sqrt(1 - kept.squarePower) / (1 - kept.meanPower);
  Expr mean = moved(kept.mean, slope, kept.meanDecay);
  Expr squares = moved(kept.square, square(slope), kept.squareDecay);
  Expr by =
      nesterov ? mean * kept.meanDecay + slope * (1 - kept.meanDecay) : mean;
  return {x - by * rate / (sqrt(squares) + kept.epsilon), mean, squares};
}

Updated adaMax(Expr x, const Moments &kept, Expr rate, Expr slope) {
  Expr mean = moved(kept.mean, slope, kept.meanDecay);
  Expr largest = maximum(kept.square * kept.squareDecay, abs(slope));
  Expr by = mean / (largest + kept.epsilon);
  return {x - rate / (1 - kept.meanPower) * by, mean, largest};
}

Updated lamb(Expr x, const Moments &kept, Expr rate, Expr decay, Expr slope) {
  Expr mean = moved(kept.mean, slope, kept.meanDecay);
  Expr squares = moved(kept.square, square(slope), kept.squareDecay);
  Expr unbiased = mean / (1 - kept.meanPower);
  Expr by = unbiased / (sqrt(squares / (1 - kept.squarePower)) + kept.epsilon) +
            x * decay;
  Expr length = norm(x), stride = norm(by);
  if (!length || !stride)
    return {Expr(), mean, squares};
  Expr product = length * stride;
  Expr isLong = apply<graph::NotEqualOp>(product, product.like(0));
  Expr ratio = select(isLong, length / stride, length.like(1));
  return {x - rate * ratio * by, mean, squares};
}

Updated adagrad(Expr x, Expr squares, Expr rate, Expr epsilon, Expr slope,
                bool accumulate) {
  if (accumulate)
    squares = squares + square(slope);
  Expr root = sqrt(squares);
  return {x - slope * rate / (epsilon ? root + epsilon : root), squares};
}

Updated adagradDual(Expr x, Expr sum, Expr squares, Expr rate, Expr l1, Expr l2,
                    Expr step, Expr slope) {
  sum = sum + slope;
  squares = squares + square(slope);
  Expr by = rate * shrunk(sum, l1 * step) / (l2 * step * rate + sqrt(squares));
  return {-by, sum, squares};
}

Updated adadelta(Expr x, Expr squares, Expr changes, Expr rate, Expr decay,
                 Expr epsilon, Expr slope) {
  squares = squares * decay + square(slope) * (1 - decay);
  Expr by = sqrt(changes + epsilon) / sqrt(squares + epsilon) * slope;
  changes = changes * decay + square(by) * (1 - decay);
  return {x - by * rate, squares, changes};
}

Updated rmsProp(Expr x, Expr squares, Expr speed, Expr rate, Expr decay,
                Expr momentum, Expr epsilon, Expr slope) {
  squares = moved(squares, square(slope), decay);
  speed = speed * momentum + slope * rate / sqrt(squares + epsilon);
  return {x - speed, squares, speed};
}

Updated centeredRmsProp(Expr x, Expr mean, Expr squares, Expr speed, Expr rate,
                        Expr decay, Expr momentum, Expr epsilon, Expr slope) {
  squares = moved(squares, square(slope), decay);
  mean = moved(mean, slope, decay);
  Expr variance = squares - square(mean) + epsilon;
  speed = speed * momentum + slope * rate / sqrt(variance);
  return {x - speed, mean, squares, speed};
}

Updated proximalGradientDescent(Expr x, Expr rate, Expr l1, Expr l2,
                                Expr slope) {
  return {shrunk(x - rate * slope, rate * l1) / (l2 * rate + 1)};
}

Updated proximalAdagrad(Expr x, Expr squares, Expr rate, Expr l1, Expr l2,
                        Expr slope) {
  squares = squares + square(slope);
  rate = rate / sqrt(squares);
  return {shrunk(x - slope * rate, rate * l1) / (l2 * rate + 1), squares};
}

/// `x` to the power -`exponent`, by a square root if that is -0.5.
static Expr lowered(Expr x, Expr exponent) {
  APFloat known(0.0);
  if (x && exponent && matchPattern(exponent.value, m_ConstantFloat(&known)) &&
      known.convertToDouble() == -0.5)
    return sqrt(x);
  return apply<graph::PowOp>(x, -exponent);
}

Updated ftrl(Expr x, Expr squares, Expr linear, Expr rate, Expr l1, Expr l2,
             Expr shrinkage, Expr power, Expr slope) {
  Expr more = squares + square(slope);
  Expr root = lowered(more, power);
  if (shrinkage)
    slope = slope + x * shrinkage * 2;
  linear = linear + slope - (root - lowered(squares, power)) / rate * x;
  return {-shrunk(linear, l1) / (root / rate + l2 * 2), more, linear};
}

Updated signedStep(Expr x, Expr mean, Expr rate, Expr base, Expr signDecay,
                   Expr decay, Expr slope, bool isPower) {
  mean = mean * decay + slope * (1 - decay);
  Expr agreement = signDecay * sign(slope) * sign(mean);
  Expr factor =
      isPower ? apply<graph::ExpOp>(base * agreement) : base + agreement;
  return {x - rate * factor * slope, mean};
}

} // namespace weir::graph::build
