// The updates of optimizers, as TensorFlow's kernels compute them: new values
// of a variable and of its optimizer state. Frontends that import such updates
// use them, and so does the pass that builds training steps.

#ifndef WEIR_DIALECTS_GRAPH_BUILD_UPDATES_H
#define WEIR_DIALECTS_GRAPH_BUILD_UPDATES_H

#include "dialects/graph/build/Expr.h"

namespace weir::graph::build {

/// The new values of the variable and of its state, in the order of the
/// function's arguments. Rates and similar numbers are scalars, or broadcast;
/// `slope` is the gradient. Empty if operands do not match.
using Updated = llvm::SmallVector<Expr, 4>;

Updated gradientDescent(Expr x, Expr rate, Expr slope);

/// `speed` is the running sum of gradients.
Updated momentum(Expr x, Expr speed, Expr rate, Expr slope, Expr decay,
                 bool nesterov);
/// As above, with the rate included in the state.
Updated kerasMomentum(Expr x, Expr speed, Expr rate, Expr slope, Expr decay,
                      bool nesterov);

/// Adam's state: two moving averages, and powers of the decays for the number
/// of this step. The powers correct the bias of averages that start at zero.
struct Moments {
  Expr mean, square;
  Expr meanPower, squarePower;
  Expr meanDecay, squareDecay;
  Expr epsilon;
};

/// Kingma and Ba, arXiv:1412.6980, section 2, with epsilon added to the
/// uncorrected root.
Updated adam(Expr x, const Moments &kept, Expr rate, Expr slope, bool nesterov);
/// Section 7.1 of the same paper. `square` is the largest decayed gradient and
/// needs no power of its decay.
Updated adaMax(Expr x, const Moments &kept, Expr rate, Expr slope);
/// You et al., arXiv:1904.00962: Adam's step with decoupled `decay`, scaled to
/// the norm of the variable. It is not scaled if either norm is zero.
Updated lamb(Expr x, const Moments &kept, Expr rate, Expr decay, Expr slope);

/// `squares` is the sum of squared gradients; without `epsilon` it must not be
/// zero. It does not change unless `accumulate` is set.
Updated adagrad(Expr x, Expr squares, Expr rate, Expr epsilon, Expr slope,
                bool accumulate);
/// Duchi et al., dual averaging: the `sum` of gradients, the sum of their
/// `squares`, and the number `step`, from 1. The new variable does not depend
/// on the old one.
Updated adagradDual(Expr x, Expr sum, Expr squares, Expr rate, Expr l1, Expr l2,
                    Expr step, Expr slope);
/// Zeiler, arXiv:1212.5701: moving averages of squared gradients and of squared
/// changes.
Updated adadelta(Expr x, Expr squares, Expr changes, Expr rate, Expr decay,
                 Expr epsilon, Expr slope);

/// `square` is the moving average of squared gradients, `speed` that of steps.
Updated rmsProp(Expr x, Expr square, Expr speed, Expr rate, Expr decay,
                Expr momentum, Expr epsilon, Expr slope);
/// As above with the variance: `mean` is the moving average of gradients.
Updated centeredRmsProp(Expr x, Expr mean, Expr square, Expr speed, Expr rate,
                        Expr decay, Expr momentum, Expr epsilon, Expr slope);

Updated proximalGradientDescent(Expr x, Expr rate, Expr l1, Expr l2,
                                Expr slope);
Updated proximalAdagrad(Expr x, Expr squares, Expr rate, Expr l1, Expr l2,
                        Expr slope);

/// McMahan et al., "Ad Click Prediction", with `shrinkage` times the variable
/// added to the gradient. `power` is the exponent of the sum of squares, not
/// above 0 and usually -0.5.
Updated ftrl(Expr x, Expr squares, Expr linear, Expr rate, Expr l1, Expr l2,
             Expr shrinkage, Expr power, Expr slope);

/// Bello et al., arXiv:1709.07417: longer steps if gradient and moving average
/// agree in sign, by a sum or, with `isPower`, by a power.
Updated signedStep(Expr x, Expr mean, Expr rate, Expr base, Expr signDecay,
                   Expr decay, Expr slope, bool isPower);

/// The Euclidean norm of all elements.
Expr norm(Expr x);

} // namespace weir::graph::build

#endif // WEIR_DIALECTS_GRAPH_BUILD_UPDATES_H
