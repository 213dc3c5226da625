// Derivatives of factorizations and solvers, after M. Giles, "An extended
// collection of matrix derivative results for forward and reverse mode
// automatic differentiation" (2008).

#include "dialects/graph/gradients/Scatter.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Linear.h"

using namespace mlir;
using namespace weir::graph;
using namespace weir::graph::build;

static Expr solve(Expr a, Expr b, bool lower, bool adjoint, bool unit = false) {
  return Expr(*a.b, make<TriangularSolveOp>(*a.b, a.value, b.value, lower,
                                            adjoint, unit));
}

/// x times the inverse of the transpose of the upper triangle of `u`.
static Expr divideByTransposed(Expr x, Expr u) {
  return transposed(solve(u, transposed(x), /*lower=*/false,
                          /*adjoint=*/false));
}

/// Whether an element is on the diagonal.
static Expr onDiagonal(Expr x) {
  ArrayRef<int64_t> shape = x.shape().take_back(2);
  ImplicitLocOpBuilder &b = *x.b;
  return apply<EqualOp>(iota(b, b.getI32Type(), shape, 0),
                        iota(b, b.getI32Type(), shape, 1));
}

// The gradient is symmetric, as that of a function of symmetric matrices.
template <>
void weir::graph::rule<CholeskyOp>(CholeskyOp op, Gradients &gradients) {
  Expr g = gradients.of(0), l = gradients.result(0);
  Expr inner = matmul(l, g, true, false);
  inner = triangle(inner, /*lower=*/true, /*strict=*/false);
  inner = select(onDiagonal(inner), inner * 0.5, inner);
  // L^-T * inner * L^-1
  Expr left = solve(l, inner, /*lower=*/true, /*adjoint=*/true);
  Expr both =
      transposed(solve(l, transposed(left), /*lower=*/true, /*adjoint=*/true));
  gradients.give(0, (both + transposed(both)) * 0.5);
}

template <>
void weir::graph::rule<TriangularSolveOp>(TriangularSolveOp op,
                                          Gradients &gradients) {
  Expr g = gradients.of(0), a = gradients.operand(0), x = gradients.result(0);
  bool lower = op.getLower(), adjoint = op.getAdjoint();
  Expr right = solve(a, g, lower, !adjoint, op.getUnit());
  if (gradients.wants(0)) {
    Expr outer =
        adjoint ? matmul(x, right, false, true) : matmul(right, x, false, true);
    gradients.give(0, triangle(-outer, lower, op.getUnit()));
  }
  if (gradients.wants(1))
    gradients.give(1, right);
}

// With X = L^-1 dA U^-1 of the exchanged rows, dL = L * (X below the diagonal)
// and dU = (X above it) * U.
template <>
void weir::graph::rule<LuOp>(LuOp op, Gradients &gradients) {
  if (!gradients.has(0))
    return;
  Expr g = gradients.of(0), factors = gradients.result(0);
  Expr strict = triangle(factors, true, true),
       upper = triangle(factors, false, false);
  Expr below = triangle(g, true, true), above = triangle(g, false, false);
  below = triangle(matmul(strict, below, true, false) + below, true, true);
  above = triangle(matmul(above, upper, false, true), false, false);
  Expr rows = solve(factors, below + above, /*lower=*/true, /*adjoint=*/true,
                    /*unit=*/true);
  gradients.give(
      0, rowsTo(divideByTransposed(rows, factors), gradients.result(1)));
}

template <>
void weir::graph::rule<QrOp>(QrOp op, Gradients &gradients) {
  Expr x = gradients.operand(0);
  int64_t m = x.shape().end()[-2], n = x.shape().back();
  // Columns beyond those of x are not determined by it.
  if (m < n || (op.getFull() && m != n))
    return gradients.give(0, Expr());
  Expr q = gradients.result(0), r = gradients.result(1);
  Expr dq = gradients.of(0), dr = gradients.of(1);
  Expr qdq = matmul(q, dq, true, false), rdr = matmul(r, dr, false, true);
  Expr skew = triangle(qdq - transposed(qdq) + rdr - transposed(rdr), true,
                       /*strict=*/true);
  Expr result = matmul(q, dr + divideByTransposed(skew, r));
  if (m > n)
    result = result + divideByTransposed(dq - matmul(q, qdq), r);
  gradients.give(0, result);
}

template <>
void weir::graph::rule<SvdOp>(SvdOp op, Gradients &gradients) {
  Expr x = gradients.operand(0), s = gradients.result(0),
       u = gradients.result(1), v = gradients.result(2);
  int64_t m = x.shape().end()[-2], n = x.shape().back(), p = std::min(m, n);
  bool ofVectors = gradients.has(1) || gradients.has(2);
  if (ofVectors && op.getFull() && m != n)
    return gradients.give(0, Expr());
  int64_t last = x.rank() - 1;
  u = slice(u, last, 0, p);
  v = slice(v, last, 0, p);
  auto along = [&](Expr y, bool rows) {
    SmallVector<int64_t> shape(y.shape());
    shape.insert(rows ? shape.end() : shape.end() - 1, 1);
    return reshape(y, shape);
  };
  Expr inner =
      select(onDiagonal(Expr(*x.b, splat(*x.b, x.type().clone({p, p}), 0))),
             along(gradients.of(0), false), s.like(0));
  Expr outer;
  if (ofVectors) {
    Expr du = gradients.of(1), dv = gradients.of(2);
    Expr rows = along(s, true), columns = along(s, false);
    // 1 / (s_j^2 - s_i^2), 0 on the diagonal.
    Expr gaps = columns * columns - rows * rows;
    gaps = apply<DivNoNanOp>(filledLike(gaps, 1),
                             select(onDiagonal(gaps), gaps.like(0), gaps));
    auto turned = [&](Expr y, Expr dy) {
      Expr product = matmul(y, dy, true, false);
      return gaps * (product - transposed(product));
    };
    inner = inner + turned(u, du) * columns + rows * turned(v, dv);
    // What lies outside of the spaces of the vectors.
    auto outside = [&](Expr y, Expr dy) {
      return (dy - matmul(y, matmul(y, dy, true, false))) / columns;
    };
    if (m > p)
      outer = matmul(outside(u, du), v, false, true);
    if (n > p)
      outer = matmul(u, outside(v, dv), false, true);
  }
  Expr result = matmul(matmul(u, inner), v, false, true);
  gradients.give(0, outer ? result + outer : result);
}
