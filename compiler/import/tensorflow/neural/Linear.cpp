// Linear algebra: factorizations, determinants and solvers.

#include "compiler/import/build/Linear.h"
#include "compiler/import/tensorflow/elementwise/Operands.h"
#include "compiler/import/tensorflow/neural/Eigen.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Operand `i` if it has matrices of floats, square ones if requested; f16 and
/// bf16 are converted to f32.
Expr matricesOf(Node &node, unsigned i, bool square) {
  Expr x = operand(node, i);
  if (!x || x.rank() < 2 || !isa<FloatType>(x.elementType()) ||
      (square && x.shape().back() != x.shape().end()[-2]))
    return {};
  return x.elementType().isF64() ? x : cast(x, node.b.getF32Type());
}

/// Results in the element type of operand 0.
LogicalResult giveLike(Node &node, ArrayRef<Expr> results) {
  Expr x = operand(node, 0);
  SmallVector<Expr> converted;
  for (Expr result : results)
    converted.push_back(result && isa<FloatType>(result.elementType())
                            ? cast(result, x.elementType())
                            : result);
  return give(node, converted);
}

/// An error of the run where an element is 0 or not a number.
LogicalResult checkDiagonal(Node &node, Expr matrices, const Twine &message) {
  Expr sizes = apply<graph::AbsOp>(diagonalOf(matrices));
  Expr zeros = sizes * 0.0;
  if (!align(zeros, sizes))
    return give(node, Expr());
  Expr usable(node.b, make<graph::LessOp>(node.b, zeros.value, sizes.value));
  return check(node, usable, message);
}

/// Batch dimensions of both broadcast.
bool alignBatches(Expr &a, Expr &b) {
  if (!a || !b || a.rank() < 2 || b.rank() < 2)
    return false;
  auto batch = broadcastShapes(a.shape().drop_back(2), b.shape().drop_back(2));
  if (failed(batch))
    return false;
  for (Expr *x : {&a, &b}) {
    SmallVector<int64_t> shape(*batch);
    llvm::append_range(shape, x->shape().take_back(2));
    *x = broadcast(*x, shape);
  }
  return a && b && a.elementType() == b.elementType() &&
         a.shape().back() == b.shape().end()[-2];
}

Expr triangularSolve(Expr a, Expr b, bool lower, bool adjoint, bool unit) {
  return Expr(*a.b, make<graph::TriangularSolveOp>(*a.b, a.value, b.value,
                                                   lower, adjoint, unit));
}

LogicalResult cholesky(Node &node) {
  Expr x = matricesOf(node, 0, /*square=*/true);
  if (!x)
    return give(node, Expr());
  Expr factor = apply<graph::CholeskyOp>(x);
  if (failed(
          checkDiagonal(node, factor, "the matrix is not positive definite")))
    return failure();
  return giveLike(node, factor);
}

LogicalResult triangular(Node &node) {
  Expr a = matricesOf(node, 0, /*square=*/true),
       b = matricesOf(node, 1, /*square=*/false);
  if (!alignBatches(a, b))
    return give(node, Expr());
  if (failed(checkDiagonal(node, a, "the matrix is not invertible")))
    return failure();
  return giveLike(node, triangularSolve(a, b, node.boolAttr("lower", true),
                                        node.boolAttr("adjoint"), false));
}

/// x with a * x = b by LU factors; an error of the run for singular matrices.
LogicalResult solve(Node &node, Expr a, Expr b) {
  if (!alignBatches(a, b))
    return give(node, Expr());
  Factors factors = factorsOf(a);
  if (failed(checkDiagonal(node, factors.lu, "the matrix is not invertible")))
    return failure();
  int64_t batch = a.rank() - 2;
  Expr rows = b;
  if (b.type().getNumElements() != 0)
    rows.value = make<graph::GatherOp>(node.b, b.value,
                                       factors.permutation.value, batch, batch);
  Expr x = triangularSolve(factors.lu, rows, /*lower=*/true, false,
                           /*unit=*/true);
  return giveLike(node, triangularSolve(factors.lu, x, false, false, false));
}

LogicalResult matrixSolve(Node &node) {
  Expr a = matricesOf(node, 0, /*square=*/true);
  if (a && node.boolAttr("adjoint"))
    a = transposed(a);
  return solve(node, a, matricesOf(node, 1, /*square=*/false));
}

LogicalResult inverse(Node &node) {
  Expr a = matricesOf(node, 0, /*square=*/true);
  if (!a)
    return give(node, Expr());
  if (node.boolAttr("adjoint"))
    a = transposed(a);
  int64_t n = a.shape().back();
  if (n > 4096)
    return node.unsupported("matrices of this size");
  SmallVector<double> identity;
  for (int64_t i = 0; i < n * n; ++i)
    identity.push_back(i % (n + 1) == 0);
  return solve(node, a, constant(node.b, a.elementType(), {n, n}, identity));
}

LogicalResult determinant(Node &node) {
  Expr x = matricesOf(node, 0, /*square=*/true);
  if (!x)
    return give(node, Expr());
  return giveLike(node, determinantOf(x));
}

/// The sign and the logarithm of the size.
LogicalResult logDeterminant(Node &node) {
  Expr x = matricesOf(node, 0, /*square=*/true);
  if (!x)
    return give(node, Expr());
  Factors factors = factorsOf(x);
  Expr diagonal = diagonalOf(factors.lu);
  Expr sign(node.b, make<graph::ReduceProdOp>(
                        node.b, apply<graph::SignOp>(diagonal).value,
                        ArrayRef<int64_t>{x.rank() - 2}));
  Expr size =
      sum(apply<graph::LogOp>(apply<graph::AbsOp>(diagonal)), {x.rank() - 2});
  return giveLike(node, {sign * factors.sign, size});
}

LogicalResult lu(Node &node) {
  Expr x = matricesOf(node, 0, /*square=*/true);
  if (!x)
    return give(node, Expr());
  Factors factors = factorsOf(x);
  if (failed(checkDiagonal(node, factors.lu, "the matrix is not invertible")))
    return failure();
  Type indexType = node.typeAttr("output_idx_type");
  return giveLike(
      node, {factors.lu, cast(factors.permutation,
                              indexType ? indexType : node.b.getI32Type())});
}

LogicalResult qr(Node &node) {
  Expr x = matricesOf(node, 0, /*square=*/false);
  if (!x)
    return give(node, Expr());
  auto op = node.b.create<graph::QrOp>(x.value, node.boolAttr("full_matrices"));
  return giveLike(node, {Expr(node.b, op.getQ()), Expr(node.b, op.getR())});
}

LogicalResult svd(Node &node) {
  Expr x = matricesOf(node, 0, /*square=*/false);
  if (!x)
    return give(node, Expr());
  bool vectors = node.boolAttr("compute_uv", true);
  auto op = node.b.create<graph::SvdOp>(
      x.value, vectors && node.boolAttr("full_matrices"));
  Expr u(node.b, op.getU()), v(node.b, op.getV());
  if (!vectors)
    u = v = Expr(node.b,
                 splat(node.b, RankedTensorType::get({0}, x.elementType()), 0));
  return giveLike(node, {Expr(node.b, op.getS()), u, v});
}

LogicalResult cross(Node &node) {
  Expr x = operand(node, 0), y = operand(node, 1);
  if (!x || !y || x.rank() < 1 || x.shape() != y.shape() ||
      x.shape().back() != 3)
    return give(node, Expr());
  int64_t last = x.rank() - 1;
  // Components 1, 2, 0 and 2, 0, 1.
  auto turned = [&](Expr e, int64_t by) {
    return concat({slice(e, last, by, 3 - by), slice(e, last, 0, by)}, last);
  };
  return give(node, turned(x, 1) * turned(y, 2) - turned(x, 2) * turned(y, 1));
}

} // namespace

void addLinearHandlers(Handlers &handlers) {
  for (const char *prefix : {"", "Batch"}) {
    auto named = [&](const char *name) { return (Twine(prefix) + name).str(); };
    handlers[named("Cholesky")] = cholesky;
    handlers[named("MatrixTriangularSolve")] = triangular;
    handlers[named("MatrixSolve")] = matrixSolve;
    handlers[named("MatrixInverse")] = inverse;
    handlers[named("MatrixDeterminant")] = determinant;
    handlers[named("Svd")] = svd;
  }
  handlers["LogMatrixDeterminant"] = logDeterminant;
  handlers["Lu"] = lu;
  handlers["Qr"] = qr;
  handlers["Cross"] = cross;
  addEigenHandlers(handlers);
}

} // namespace weir::tensorflow
