// Matrices of the reference interpreter, in f64.

#include "compiler/reference/Matrix.h"

using namespace mlir;

namespace weir::reference {

Matrix Matrix::of(const Tensor &x, int64_t batch) {
  Matrix m(x.shape().end()[-2], x.shape().back());
  int64_t count = m.rows * m.columns;
  for (int64_t i = 0; i < count; ++i)
    m.elements[i] = x[batch * count + i].number;
  return m;
}

Matrix Matrix::identity(int64_t size) {
  Matrix m(size, size);
  for (int64_t i = 0; i < size; ++i)
    m(i, i) = 1;
  return m;
}

double Matrix::dot(int64_t column, const Matrix &other,
                   int64_t otherColumn) const {
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i)
    sum += (*this)(i, column) * other(i, otherColumn);
  return sum;
}

void Matrix::exchangeColumns(int64_t a, int64_t b) {
  for (int64_t i = 0; i < rows; ++i)
    std::swap((*this)(i, a), (*this)(i, b));
}

Matrix Matrix::transposed() const {
  Matrix result(columns, rows);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < columns; ++k)
      result(k, i) = (*this)(i, k);
  return result;
}

void Matrix::store(Tensor &to, int64_t batch) const {
  int64_t r = to.shape().end()[-2], c = to.shape().back();
  for (int64_t i = 0; i < r; ++i)
    for (int64_t k = 0; k < c; ++k)
      to[(batch * r + i) * c + k].number = (*this)(i, k);
}

int64_t batchesOf(const Tensor &x) {
  int64_t batches = 1;
  for (int64_t size : x.shape().drop_back(2))
    batches *= size;
  return batches;
}

} // namespace weir::reference
