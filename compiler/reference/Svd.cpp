// Singular value decompositions of the reference interpreter: one-sided Jacobi
// rotations in f64. Signs are those of the compiled op, which rotates the same
// pairs in the same order.

#include "compiler/reference/Matrix.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace weir::reference {
namespace {

constexpr double epsilon = 0x1p-52;
// Convergence is quadratic: so many sweeps are enough.
constexpr int sweeps = 24;

/// Rotates columns p and q of `x`.
void turn(Matrix &x, int64_t p, int64_t q, double cosine, double sine) {
  for (int64_t i = 0; i < x.rows; ++i) {
    double left = x(i, p), right = x(i, q);
    x(i, p) = cosine * left - sine * right;
    x(i, q) = sine * left + cosine * right;
  }
}

/// Makes columns p and q of W orthogonal, and rotates those of V alike.
void rotatePair(Matrix &w, Matrix &v, int64_t p, int64_t q) {
  double alpha = w.dot(p, w, p), beta = w.dot(q, w, q), gamma = w.dot(p, w, q);
  if (!(std::fabs(gamma) > std::sqrt(alpha) * std::sqrt(beta) * epsilon))
    return;
  double zeta = (beta - alpha) / (2 * gamma);
  double size = 1 / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
  double tangent = zeta < 0 ? -size : size;
  double cosine = 1 / std::sqrt(1 + tangent * tangent);
  turn(w, p, q, cosine, cosine * tangent);
  turn(v, p, q, cosine, cosine * tangent);
}

/// Moves the longest columns of W to the front, those of V alike. Returns the
/// lengths.
std::vector<double> sortByLength(Matrix &w, Matrix &v) {
  std::vector<double> lengths(w.columns);
  for (int64_t k = 0; k < w.columns; ++k)
    lengths[k] = std::sqrt(w.dot(k, w, k));
  for (int64_t k = 0; k < w.columns; ++k) {
    int64_t longest = k;
    for (int64_t i = k + 1; i < w.columns; ++i)
      if (lengths[i] > lengths[longest])
        longest = i;
    std::swap(lengths[k], lengths[longest]);
    w.exchangeColumns(k, longest);
    v.exchangeColumns(k, longest);
  }
  return lengths;
}

/// The unit vector that the first `count` columns of U span least.
int64_t farthestRow(const Matrix &u, int64_t count) {
  double least = 2;
  int64_t row = 0;
  for (int64_t i = 0; i < u.rows; ++i) {
    double part = 0;
    for (int64_t k = 0; k < count; ++k)
      part += u(i, k) * u(i, k);
    if (part < least) {
      least = part;
      row = i;
    }
  }
  return row;
}

/// Makes column k of U orthogonal to those before, and its length 1. One pass
/// leaves an error after cancellation, a second pass removes it.
void straighten(Matrix &u, int64_t k) {
  for (int pass = 0; pass < 2; ++pass)
    for (int64_t j = 0; j < k; ++j) {
      double part = u.dot(j, u, k);
      for (int64_t i = 0; i < u.rows; ++i)
        u(i, k) -= part * u(i, j);
    }
  double length = std::sqrt(u.dot(k, u, k));
  for (int64_t i = 0; i < u.rows; ++i)
    u(i, k) /= length;
}

/// Orthonormal columns: those of W divided by their lengths. A column whose
/// length is only rounding, or is missing, becomes a unit vector before it is
/// made orthogonal. `precision` is that of the op's type, in which the compiled
/// op makes this decision.
Matrix directions(const Matrix &w, ArrayRef<double> lengths, int64_t count,
                  double precision) {
  Matrix u(w.rows, count);
  double limit = lengths.empty() ? 0 : lengths[0] * precision * double(w.rows);
  for (int64_t k = 0; k < count; ++k) {
    bool isUsable = k < w.columns && lengths[k] > limit;
    int64_t row = farthestRow(u, k);
    for (int64_t i = 0; i < w.rows; ++i)
      u(i, k) = isUsable ? w(i, k) / lengths[k] : double(i == row);
    straighten(u, k);
  }
  return u;
}

/// Divides by the largest magnitude, so that no square overflows; returns it.
double normalize(Matrix &w) {
  double largest = 0;
  for (int64_t i = 0; i < w.rows; ++i)
    for (int64_t k = 0; k < w.columns; ++k)
      largest = std::max(largest, std::fabs(w(i, k)));
  double size = largest > 0 ? largest : 1;
  for (int64_t i = 0; i < w.rows; ++i)
    for (int64_t k = 0; k < w.columns; ++k)
      w(i, k) /= size;
  return size;
}

} // namespace

Results svd(graph::SvdOp op, const Tensor &x) {
  SmallVector<Tensor, 1> results = zeroResults(op);
  double precision = x.elementType().isF64() ? epsilon : 0x1p-23;
  for (int64_t batch = 0; batch < batchesOf(x); ++batch) {
    Matrix w = Matrix::of(x, batch);
    // A wide matrix is decomposed as its transpose.
    bool isWide = w.rows < w.columns;
    if (isWide)
      w = w.transposed();
    Matrix v = Matrix::identity(w.columns);
    double size = normalize(w);
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (int64_t p = 0; p < w.columns; ++p)
        for (int64_t q = p + 1; q < w.columns; ++q)
          rotatePair(w, v, p, q);
    std::vector<double> lengths = sortByLength(w, v);
    Matrix u =
        directions(w, lengths, op.getFull() ? w.rows : w.columns, precision);
    for (int64_t k = 0; k < w.columns; ++k)
      results[0][batch * w.columns + k].number = lengths[k] * size;
    (isWide ? v : u).store(results[1], batch);
    (isWide ? u : v).store(results[2], batch);
  }
  return results;
}

} // namespace weir::reference
