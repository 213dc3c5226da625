// Derivatives of elementwise ops that are no formula of their definition.

#include "dialects/graph/Gradients.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/gradients/Gradient.h"

using namespace mlir;
using namespace weir::graph;
using namespace weir::graph::build;

template <>
void weir::graph::rule<BarrierOp>(BarrierOp op, Gradients &gradients) {
  gradients.give(0, gradients.of(0));
}

// Where an element is at a limit, the gradient is the element's.
template <>
void weir::graph::rule<ClampOp>(ClampOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0);
  Expr below = apply<LessOp>(x, gradients.operand(1)),
       above = apply<GreaterOp>(x, gradients.operand(2)), zero = g.like(0);
  if (gradients.wants(0))
    gradients.give(0, select(apply<LogicalOrOp>(below, above), zero, g));
  if (gradients.wants(1))
    gradients.give(1, select(below, g, zero));
  if (gradients.wants(2))
    gradients.give(2, select(above, g, zero));
}

template <>
void weir::graph::rule<SelectOp>(SelectOp op, Gradients &gradients) {
  Expr g = gradients.of(0), predicate = gradients.operand(0);
  if (gradients.wants(1))
    gradients.give(1, select(predicate, g, g.like(0)));
  if (gradients.wants(2))
    gradients.give(2, select(predicate, g.like(0), g));
}

template <>
void weir::graph::rule<CastOp>(CastOp op, Gradients &gradients) {
  gradients.give(0,
                 cast(gradients.of(0), op.getX().getType().getElementType()));
}

// By x alone: the density of the beta distribution.
template <>
void weir::graph::rule<BetaincOp>(BetaincOp op, Gradients &gradients) {
  Expr g = gradients.of(0), a = gradients.operand(0), b = gradients.operand(1),
       x = gradients.operand(2);
  for (unsigned i : {0, 1})
    if (gradients.wants(i))
      gradients.give(i, Expr());
  if (!gradients.wants(2))
    return;
  Expr logBeta =
      apply<LgammaOp>(a) + apply<LgammaOp>(b) - apply<LgammaOp>(a + b);
  gradients.give(2, g * apply<ExpOp>(apply<Xlog1pyOp>(b - 1.0, -x) +
                                     apply<XlogyOp>(a - 1.0, x) - logBeta));
}
