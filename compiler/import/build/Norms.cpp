// Norms of vectors.

#include "compiler/import/build/Norms.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir {

Expr rootOfPowers(Expr sums, double p) {
  if (!sums || p == 1)
    return sums;
  Expr zero = sums.like(0), isZero = apply<graph::EqualOp>(sums, zero);
  Expr safe = select(isZero, sums.like(1), sums);
  Expr root = p == 2 ? apply<graph::SqrtOp>(safe)
                     : apply<graph::PowOp>(safe, safe.like(1 / p));
  return select(isZero, zero, root);
}

} // namespace weir
