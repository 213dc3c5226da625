// Eigenvalues of symmetric matrices, and tridiagonal systems.

#include "compiler/import/tensorflow/neural/Eigen.h"

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/build/Steps.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/elementwise/Operands.h"
#include "compiler/import/tensorflow/neural/Windows.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Operand `i` if it has square matrices of floats; f16 and bf16 are converted
/// to f32.
Expr matricesOf(Node &node, unsigned i) {
  Expr x = operand(node, i);
  if (!x || x.rank() < 2 || !isa<FloatType>(x.elementType()) ||
      x.shape().back() != x.shape().end()[-2])
    return {};
  return x.elementType().isF64() ? x : cast(x, node.b.getF32Type());
}

struct Eigen {
  /// Ascending values, and their vectors as columns.
  Expr values, vectors;
};

/// Of the symmetric matrices of which `x` holds the lower (upper) triangle. The
/// singular values of a symmetric matrix with no eigenvalue below 0 are its
/// eigenvalues: a multiple of the unit matrix makes it one.
Eigen eigenOf(Expr x, bool lower) {
  ImplicitLocOpBuilder &b = *x.b;
  int64_t n = x.shape().back(), last = x.rank() - 1;
  auto type = RankedTensorType::get({n, n}, b.getI32Type());
  Expr row(b, make<graph::IotaOp>(b, type, 0)),
      column(b, make<graph::IotaOp>(b, type, 1));
  Expr isGiven = lower ? apply<graph::GreaterEqualOp>(row, column)
                       : apply<graph::LessEqualOp>(row, column);
  x = select(isGiven, x, transposed(x));
  Expr norms = sum(apply<graph::AbsOp>(x), {last});
  Expr norm(
      b, make<graph::ReduceMaxOp>(b, norms.value, ArrayRef<int64_t>{last - 1}));
  SmallVector<int64_t> one(x.shape().drop_back(2));
  one.push_back(1);
  Expr shift = reshape(norm * 2.0, one);
  one.push_back(1);
  Expr isDiagonal = apply<graph::EqualOp>(row, column);
  x = x + select(isDiagonal, reshape(shift, one), x.like(0));
  auto op = b.create<graph::SvdOp>(x.value, /*full=*/false);
  return {reverse(Expr(b, op.getS()) - shift, {last - 1}),
          reverse(Expr(b, op.getV()), {last})};
}

LogicalResult giveEigen(Node &node, bool lower, bool vectors) {
  Expr x = matricesOf(node, 0);
  if (!x)
    return give(node, Expr());
  Type type = operand(node, 0).elementType();
  Eigen eigen{reshape(x, x.shape()), x};
  if (x.type().getNumElements() == 0)
    eigen.values =
        Expr(node.b, splat(node.b, x.type().clone(x.shape().drop_back()), 0));
  else
    eigen = eigenOf(x, lower);
  if (!vectors)
    eigen.vectors =
        Expr(node.b, splat(node.b, RankedTensorType::get({0}, type), 0));
  return give(node, {cast(eigen.values, type), cast(eigen.vectors, type)});
}

LogicalResult selfAdjointEig(Node &node) {
  return giveEigen(node, true, node.boolAttr("compute_v", true));
}

LogicalResult xlaSelfAdjointEig(Node &node) {
  return giveEigen(node, node.boolAttr("lower"), true);
}

/// The first version: the values in a row before those of the vectors.
LogicalResult joinedEig(Node &node) {
  if (failed(giveEigen(node, true, true)) || node.given.size() != 2 ||
      !node.given[0].value)
    return failure();
  Expr values(node.b, node.given[0].value),
      vectors(node.b, node.given[1].value);
  SmallVector<int64_t> row(values.shape());
  row.insert(row.end() - 1, 1);
  return give(node,
              concat({reshape(values, row), vectors}, vectors.rank() - 2));
}

/// A system in rows: for each of `size` rows the batches and, of `bands`, the
/// elements above, on and below the diagonal; `right` has the right sides.
struct Tridiagonal {
  Expr bands, right;
  int64_t size, batches, columns;
};

/// Elimination with exchange of neighbouring rows, which leaves three bands
/// above and on the diagonal, and back substitution.
Expr solve(Node &node, const Tridiagonal &system) {
  ImplicitLocOpBuilder &b = node.b;
  auto part = [](Expr row, int64_t i) { return slice(row, 1, i, 1); };
  Expr first = partAt(system.bands, 0, number(b, 0));
  Expr none = zerosOf(part(first, 0));
  Expr zeroBands = zerosOf(system.bands), zeroRight = zerosOf(system.right);
  // The row at work: its elements on and above the diagonal, its right side.
  auto state = repeatWhile(
      b,
      {number(b, 0), part(first, 1), part(first, 0),
       partAt(system.right, 0, number(b, 0)), zeroBands, zeroRight},
      [&](ArrayRef<Expr> given) {
        return apply<graph::LessOp>(given[0], number(b, system.size - 1));
      },
      [&](ArrayRef<Expr> given) {
        Expr i = given[0], next = partAt(system.bands, 0, i + 1);
        Expr right = partAt(system.right, 0, i + 1);
        // The last row has nothing above the diagonal.
        Expr isLast = apply<graph::EqualOp>(i + 1, number(b, system.size - 1));
        Expr above = select(isLast, none, part(next, 0));
        Expr swaps = apply<graph::LessOp>(apply<graph::AbsOp>(given[1]),
                                          apply<graph::AbsOp>(part(next, 2)));
        Expr pivot[] = {select(swaps, part(next, 2), given[1]),
                        select(swaps, part(next, 1), given[2]),
                        select(swaps, above, none)};
        Expr other[] = {select(swaps, given[1], part(next, 2)),
                        select(swaps, given[2], part(next, 1)),
                        select(swaps, none, above)};
        Expr pivotRight = select(swaps, right, given[3]);
        Expr otherRight = select(swaps, given[3], right);
        Expr factor = other[0] / pivot[0];
        return SmallVector<Expr>{i + 1,
                                 other[1] - factor * pivot[1],
                                 other[2] - factor * pivot[2],
                                 otherRight - factor * pivotRight,
                                 withPart(given[4], 0, i, concat(pivot, 1)),
                                 withPart(given[5], 0, i, pivotRight)};
      });
  Expr last = number(b, system.size - 1);
  Expr bands = withPart(state[4], 0, last, concat({state[1], none, none}, 1));
  Expr right = withPart(state[5], 0, last, state[3]);
  Expr pivots = slice(bands, 2, 0, 1);
  if (failed(check(node, apply<graph::NotEqualOp>(pivots, pivots.like(0)),
                   "the matrix is not invertible")))
    return {};
  Expr after = zerosOf(state[3]);
  auto solved = repeatWhile(
      b, {last, after, after, zeroRight},
      [&](ArrayRef<Expr> given) {
        return apply<graph::GreaterEqualOp>(given[0], number(b, 0));
      },
      [&](ArrayRef<Expr> given) {
        Expr row = partAt(bands, 0, given[0]);
        Expr x = (partAt(right, 0, given[0]) - part(row, 1) * given[1] -
                  part(row, 2) * given[2]) /
                 part(row, 0);
        return SmallVector<Expr>{given[0] - 1, x, given[1],
                                 withPart(given[3], 0, given[0], x)};
      });
  return solved[3];
}

/// Operands: the three diagonals [..., 3, M], each of which has place for M
/// elements, and the right sides [..., M, K].
LogicalResult tridiagonalSolve(Node &node) {
  Expr bands = operand(node, 0), right = operand(node, 1);
  if (!bands || !right || bands.rank() < 2 || right.rank() != bands.rank() ||
      bands.elementType() != right.elementType() ||
      !isa<FloatType>(bands.elementType()) || bands.shape().end()[-2] != 3 ||
      bands.shape().back() != right.shape().end()[-2] ||
      bands.shape().drop_back(2) != right.shape().drop_back(2))
    return give(node, Expr());
  if (node.boolAttr("perturb_singular"))
    return node.unsupported("perturbation of singular matrices");
  if (right.type().getNumElements() == 0)
    return give(node, zerosOf(right));
  Type type = bands.elementType();
  Type work = type.isF64() ? type : Type(node.b.getF32Type());
  Tridiagonal system;
  system.size = bands.shape().back();
  system.columns = right.shape().back();
  system.batches = right.type().getNumElements() / system.size / system.columns;
  system.bands = transpose(
      cast(reshape(bands, {system.batches, 3, system.size}), work), {2, 0, 1});
  system.right = transpose(
      cast(reshape(right, {system.batches, system.size, system.columns}), work),
      {1, 0, 2});
  Expr x = solve(node, system);
  if (!x)
    return failure();
  return give(node,
              cast(reshape(transpose(x, {1, 0, 2}), right.shape()), type));
}

/// Operands: the diagonals above, on and below [..., 1, M], and [..., M, N].
LogicalResult tridiagonalProduct(Node &node) {
  Expr x = operand(node, 3);
  if (!x || x.rank() < 2)
    return give(node, Expr());
  int64_t rows = x.rank() - 2, size = x.size(rows);
  SmallVector<int64_t> low(x.rank(), 0), high = low, shape(x.shape());
  shape.back() = 1;
  SmallVector<int64_t> diagonal(x.shape().drop_back(2));
  diagonal.append({1, size});
  Expr total;
  for (unsigned i : {0, 1, 2}) {
    Expr factors = operand(node, i);
    if (!factors || factors.elementType() != x.elementType() ||
        factors.shape() != ArrayRef<int64_t>(diagonal))
      return give(node, Expr());
    low[rows] = static_cast<int64_t>(i) - 1;
    high[rows] = -low[rows];
    Expr shifted = size || i == 1 ? pad(x, low, high) : x;
    Expr part = reshape(factors, shape) * shifted;
    // Elements that lie outside of the matrix are of any value.
    if (i != 1 && size) {
      int64_t outside = i == 0 ? size - 1 : 0;
      SmallVector<double> isInside(size, 1);
      isInside[outside] = 0;
      SmallVector<int64_t> column(x.rank(), 1);
      column[rows] = size;
      Expr mask = constant(node.b, node.b.getI1Type(), column, isInside);
      part = select(mask, part, part.like(0));
    }
    total = total ? total + part : part;
  }
  return give(node, total);
}

} // namespace

void addEigenHandlers(Handlers &handlers) {
  for (const char *name : {"SelfAdjointEigV2", "BatchSelfAdjointEigV2"})
    handlers[name] = selfAdjointEig;
  for (const char *name : {"SelfAdjointEig", "BatchSelfAdjointEig"})
    handlers[name] = joinedEig;
  handlers["XlaSelfAdjointEig"] = xlaSelfAdjointEig;
  handlers["TridiagonalSolve"] = tridiagonalSolve;
  handlers["TridiagonalMatMul"] = tridiagonalProduct;
}

} // namespace weir::tensorflow
