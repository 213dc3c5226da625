// Matrices of the reference interpreter, in f64.

#ifndef WEIR_COMPILER_REFERENCE_MATRIX_H
#define WEIR_COMPILER_REFERENCE_MATRIX_H

#include "compiler/reference/Families.h"
#include "dialects/graph/Linear.h"

namespace weir::reference {

/// One matrix of a batch.
class Matrix {
public:
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(rows * columns, 0) {}

  /// Matrix `batch` of a tensor, whose last two dimensions are matrices.
  static Matrix of(const Tensor &x, int64_t batch);
  static Matrix identity(int64_t size);

  double &operator()(int64_t i, int64_t k) { return elements[i * columns + k]; }
  double operator()(int64_t i, int64_t k) const {
    return elements[i * columns + k];
  }

  /// The sum of products of a column of this matrix and one of another.
  double dot(int64_t column, const Matrix &other, int64_t otherColumn) const;
  void exchangeColumns(int64_t a, int64_t b);
  Matrix transposed() const;

  /// Writes the first rows and columns that matrix `batch` of `to` has.
  void store(Tensor &to, int64_t batch) const;

  int64_t rows, columns;

private:
  std::vector<double> elements;
};

/// How many matrices a tensor has.
int64_t batchesOf(const Tensor &x);

Results svd(graph::SvdOp op, const Tensor &x);

} // namespace weir::reference

#endif // WEIR_COMPILER_REFERENCE_MATRIX_H
