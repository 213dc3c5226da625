// Fourier transforms as matrix products, split by Cooley and Tukey's rule.

#include "compiler/import/build/Fourier.h"

#include <cmath>

using namespace mlir;

namespace weir {

/// Up to here one product is quicker than two with a rotation between them.
static constexpr int64_t direct = 32;

/// The largest divisor of `length` up to its root; 1 for primes.
static int64_t divisorOf(int64_t length) {
  int64_t divisor = 1;
  for (int64_t i = 2; i * i <= length; ++i)
    if (length % i == 0)
      divisor = i;
  return divisor;
}

bool canTransform(int64_t length) {
  for (int64_t i = 2; i * i <= length; ++i)
    while (length % i == 0)
      length /= i;
  return length <= longestFactor;
}

/// Cosines and sines of all products of a row and a column, in turns of
/// `length`.
static Complex turns(Expr like, int64_t rows, int64_t columns, int64_t length,
                     int sign) {
  SmallVector<double> re, im;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < columns; ++k) {
      double angle = 2 * M_PI * static_cast<double>(i * k % length) /
                     static_cast<double>(length);
      re.push_back(std::cos(angle));
      im.push_back(sign * std::sin(angle));
    }
  SmallVector<int64_t> shape{rows, columns};
  return {constant(*like.b, like.elementType(), shape, re),
          constant(*like.b, like.elementType(), shape, im)};
}

/// The parts of both mapped; nothing where there is no imaginary part.
template <typename Map>
static Complex parts(Complex x, Map map) {
  return {map(x.re), x.im ? map(x.im) : Expr()};
}

Complex transform(Complex x, int sign) {
  if (!x.re || x.re.rank() < 1)
    return {};
  int64_t length = x.re.shape().back();
  int64_t outer = length > direct ? divisorOf(length) : 1;
  SmallVector<int64_t> shape(x.re.shape());
  int64_t count = 1;
  for (int64_t size : ArrayRef<int64_t>(shape).drop_back())
    count *= size;
  if (outer == 1) {
    Complex w = turns(x.re, length, length, length, sign);
    auto times = [&](Expr rows, Expr matrix) {
      return reshape(matmul(reshape(rows, {count, length}), matrix), shape);
    };
    Complex y{times(x.re, w.re), times(x.re, w.im)};
    if (x.im) {
      y.re = y.re - times(x.im, w.im);
      y.im = y.im + times(x.im, w.re);
    }
    return y;
  }
  // x[inner * i + j] becomes y[k + outer * l]: transforms over i, rotations by
  // j * k turns, transforms over j.
  int64_t inner = length / outer;
  Complex y =
      transform(parts(x,
                      [&](Expr part) {
                        return transposed(reshape(part, {count, outer, inner}));
                      }),
                sign);
  Complex w = turns(x.re, inner, outer, length, sign);
  y = {y.re * w.re - y.im * w.im, y.re * w.im + y.im * w.re};
  y = transform(parts(y, transposed), sign);
  return parts(y, [&](Expr part) { return reshape(transposed(part), shape); });
}

} // namespace weir
