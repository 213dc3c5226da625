// Factorizations and solvers of the reference interpreter, in f64. Svd.cpp has
// the singular value decomposition.

#include "compiler/reference/Families.h"
#include "compiler/reference/Matrix.h"

#include "dialects/graph/Linear.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace weir::reference {
namespace {

// Cholesky-Banachiewicz: L row by row.
Matrix cholesky(const Matrix &x) {
  Matrix l(x.rows, x.columns);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double rest = x(i, j);
      for (int64_t k = 0; k < j; ++k)
        rest -= l(i, k) * l(j, k);
      l(i, j) = i == j ? std::sqrt(rest) : rest / l(j, j);
    }
  return l;
}

Matrix solve(graph::TriangularSolveOp op, const Matrix &a, Matrix x) {
  bool adjoint = op.getAdjoint(), forward = op.getLower() != adjoint;
  auto coefficient = [&](int64_t i, int64_t k) {
    return adjoint ? a(k, i) : a(i, k);
  };
  for (int64_t step = 0; step < x.rows; ++step) {
    int64_t i = forward ? step : x.rows - 1 - step;
    for (int64_t c = 0; c < x.columns; ++c) {
      double rest = x(i, c);
      for (int64_t k = forward ? 0 : i + 1; k < (forward ? i : x.rows); ++k)
        rest -= coefficient(i, k) * x(k, c);
      x(i, c) = op.getUnit() ? rest : rest / coefficient(i, i);
    }
  }
  return x;
}

// Gaussian elimination with partial pivoting, in place.
Results lu(graph::LuOp op, const Tensor &x) {
  SmallVector<Tensor, 1> results = zeroResults(op);
  int64_t n = x.shape().back();
  for (int64_t batch = 0; batch < batchesOf(x); ++batch) {
    Matrix a = Matrix::of(x, batch);
    std::vector<int64_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    double sign = 1;
    for (int64_t k = 0; k < n; ++k) {
      int64_t pivot = k;
      for (int64_t i = k + 1; i < n; ++i)
        if (std::fabs(a(i, k)) > std::fabs(a(pivot, k)))
          pivot = i;
      if (pivot != k) {
        for (int64_t j = 0; j < n; ++j)
          std::swap(a(k, j), a(pivot, j));
        std::swap(rows[k], rows[pivot]);
        sign = -sign;
      }
      bool isUsable = std::fabs(a(k, k)) > 0;
      for (int64_t i = k + 1; i < n; ++i) {
        if (isUsable)
          a(i, k) /= a(k, k);
        for (int64_t j = k + 1; j < n; ++j)
          a(i, j) -= a(i, k) * a(k, j);
      }
    }
    a.store(results[0], batch);
    for (int64_t i = 0; i < n; ++i)
      results[1].setInteger(batch * n + i, rows[i]);
    results[2][batch].number = sign;
  }
  return results;
}

// Householder reflections. The length that replaces a column has the sign
// opposite to its head, so that nothing cancels.
Results qr(graph::QrOp op, const Tensor &x) {
  SmallVector<Tensor, 1> results = zeroResults(op);
  for (int64_t batch = 0; batch < batchesOf(x); ++batch) {
    Matrix r = Matrix::of(x, batch), q = Matrix::identity(r.rows);
    for (int64_t k = 0; k < std::min(r.rows, r.columns); ++k) {
      double tail = 0, head = r(k, k);
      for (int64_t i = k + 1; i < r.rows; ++i)
        tail += r(i, k) * r(i, k);
      if (!(tail > 0))
        continue;
      double norm = std::sqrt(head * head + tail);
      double length = head < 0 ? norm : -norm;
      std::vector<double> v(r.rows, 0);
      v[k] = 1;
      for (int64_t i = k + 1; i < r.rows; ++i)
        v[i] = r(i, k) / (head - length);
      double tau = (length - head) / length;
      auto reflect = [&](int64_t count, auto element) {
        for (int64_t j = 0; j < count; ++j) {
          double dot = 0;
          for (int64_t i = k; i < r.rows; ++i)
            dot += v[i] * element(i, j);
          for (int64_t i = k; i < r.rows; ++i)
            element(i, j) -= tau * dot * v[i];
        }
      };
      reflect(r.columns,
              [&](int64_t i, int64_t j) -> double & { return r(i, j); });
      reflect(q.rows,
              [&](int64_t i, int64_t j) -> double & { return q(j, i); });
    }
    for (int64_t i = 0; i < r.rows; ++i)
      for (int64_t k = 0; k < std::min(i, r.columns); ++k)
        r(i, k) = 0;
    q.store(results[0], batch);
    r.store(results[1], batch);
  }
  return results;
}

/// Batched results of a function of each matrix.
template <typename Op, typename F>
Results eachMatrix(Op op, const Tensor &x, F compute) {
  SmallVector<Tensor, 1> results = zeroResults(op);
  for (int64_t batch = 0; batch < batchesOf(x); ++batch)
    compute(Matrix::of(x, batch), batch).store(results[0], batch);
  return results;
}

} // namespace

void addLinear(Evaluators &all) {
  all.add([](graph::CholeskyOp op, Operands in) {
    return eachMatrix(op, *in[0],
                      [](const Matrix &x, int64_t) { return cholesky(x); });
  });
  all.add([](graph::TriangularSolveOp op, Operands in) {
    return eachMatrix(op, *in[0], [&](const Matrix &a, int64_t batch) {
      return solve(op, a, Matrix::of(*in[1], batch));
    });
  });
  all.add([](graph::LuOp op, Operands in) { return lu(op, *in[0]); });
  all.add([](graph::QrOp op, Operands in) { return qr(op, *in[0]); });
  all.add([](graph::SvdOp op, Operands in) { return svd(op, *in[0]); });
}

} // namespace weir::reference
