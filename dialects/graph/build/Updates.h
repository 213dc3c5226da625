// The steps of optimizers: new values of a variable and of what is kept for it
// from step to step, as TensorFlow's kernels compute them. Frontends that
// import such steps and the pass that makes them both build these.

#ifndef WEIR_DIALECTS_GRAPH_BUILD_UPDATES_H
#define WEIR_DIALECTS_GRAPH_BUILD_UPDATES_H

#include "dialects/graph/build/Expr.h"

namespace weir::graph::build {

/// The new value of the variable, then those of what is kept for it, in the
/// order in which the function takes them. Rates and the like are scalars, or
/// broadcast; `slope` is the gradient. Without values where operands do not fit
/// together.
using Updated = llvm::SmallVector<Expr, 4>;

Updated gradientDescent(Expr x, Expr rate, Expr slope);

/// `speed` is the running sum of gradients.
Updated momentum(Expr x, Expr speed, Expr rate, Expr slope, Expr decay,
                 bool nesterov);
/// The same, with the rate in what is kept.
Updated kerasMomentum(Expr x, Expr speed, Expr rate, Expr slope, Expr decay,
                      bool nesterov);

/// What Adam and its kin keep besides two running means: the powers of the
/// decays, to the number of this step, which make up for means that begin at
/// zero.
struct Moments {
  Expr mean, square;
  Expr meanPower, squarePower;
  Expr meanDecay, squareDecay;
  Expr epsilon;
};

/// Kingma and Ba, arXiv:1412.6980: section 2, with its epsilon of the end.
Updated adam(Expr x, const Moments &kept, Expr rate, Expr slope, bool nesterov);
/// The same, section 7.1: `square` is the largest of the gradients, each
/// decayed; needs no power of its decay.
Updated adaMax(Expr x, const Moments &kept, Expr rate, Expr slope);
/// You et al., arXiv:1904.00962: Adam's step with `decay` of the variable, as
/// long as the variable is. Where either has no length, the step is as it is.
Updated lamb(Expr x, const Moments &kept, Expr rate, Expr decay, Expr slope);

/// `squares` is the sum of squared gradients; without `epsilon` it must not be
/// zero. With `accumulate` unset that sum stays.
Updated adagrad(Expr x, Expr squares, Expr rate, Expr epsilon, Expr slope,
                bool accumulate);
/// Duchi et al., dual averaging: `sum` of gradients, `squares` of them, `step`
/// the number of this one, from 1. The variable is theirs, not its old value's.
Updated adagradDual(Expr x, Expr sum, Expr squares, Expr rate, Expr l1, Expr l2,
                    Expr step, Expr slope);
/// Zeiler, arXiv:1212.5701: running means of squared gradients and of squared
/// changes.
Updated adadelta(Expr x, Expr squares, Expr changes, Expr rate, Expr decay,
                 Expr epsilon, Expr slope);

/// `square`: the running mean of squared gradients; `speed`: of the steps.
Updated rmsProp(Expr x, Expr square, Expr speed, Expr rate, Expr decay,
                Expr momentum, Expr epsilon, Expr slope);
/// The same by the variance: `mean` is the running mean of gradients.
Updated centeredRmsProp(Expr x, Expr mean, Expr square, Expr speed, Expr rate,
                        Expr decay, Expr momentum, Expr epsilon, Expr slope);

Updated proximalGradientDescent(Expr x, Expr rate, Expr l1, Expr l2,
                                Expr slope);
Updated proximalAdagrad(Expr x, Expr squares, Expr rate, Expr l1, Expr l2,
                        Expr slope);

/// McMahan et al., "Ad Click Prediction", with `shrinkage` of the variable in
/// the gradient; `power`, not above 0, is what the sum of squares is raised to,
/// -0.5 as a rule.
Updated ftrl(Expr x, Expr squares, Expr linear, Expr rate, Expr l1, Expr l2,
             Expr shrinkage, Expr power, Expr slope);

/// Bello et al., arXiv:1709.07417: longer steps where gradient and running mean
/// agree, by a sum or, with `isPower`, by a power.
Updated signedStep(Expr x, Expr mean, Expr rate, Expr base, Expr signDecay,
                   Expr decay, Expr slope, bool isPower);

/// The square root of the sum of all elements' squares.
Expr norm(Expr x);

} // namespace weir::graph::build

#endif // WEIR_DIALECTS_GRAPH_BUILD_UPDATES_H
