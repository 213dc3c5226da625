// Sums of products in the reference interpreter: matrix products and
// convolutions. Floats are summed in f64, in the order of the terms.

#include "compiler/reference/Families.h"
#include "compiler/reference/Windows.h"

#include "dialects/graph/Neural.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace mlir;

namespace weir::reference {
namespace {

/// Elements as numbers, which 32-bit integers are exactly; a product of 64-bit
/// integers is computed by its bits.
std::vector<double> numbersOf(const Tensor &x) {
  std::vector<double> numbers(x.size());
  for (int64_t i = 0; i < x.size(); ++i)
    numbers[i] = x.number(i);
  return numbers;
}

/// Terms of a sum: how to add products of two operands' elements. Integers wrap
/// to the type of the result.
class Sums {
public:
  Sums(const Tensor &x, const Tensor &y)
      : isFloat(x.isFloat()), x(x), y(y),
        xs(isFloat ? numbersOf(x) : std::vector<double>()),
        ys(isFloat ? numbersOf(y) : std::vector<double>()) {}

  /// Adds the product of element `i` of x with `count` neighbours of y from
  /// `k` on to neighbours of the result.
  void add(Tensor &result, int64_t to, int64_t i, int64_t k,
           int64_t count) const {
    if (isFloat) {
      double factor = xs[i];
      for (int64_t n = 0; n < count; ++n)
        result[to + n].number += factor * ys[k + n];
      return;
    }
    int64_t factor = x.integer(i);
    for (int64_t n = 0; n < count; ++n)
      result.setInteger(to + n,
                        int64_t(uint64_t(result.integer(to + n)) +
                                uint64_t(factor) * uint64_t(y.integer(k + n))));
  }

private:
  bool isFloat;
  const Tensor &x, &y;
  std::vector<double> xs, ys;
};

/// `x` with its last two dimensions exchanged.
Tensor turned(const Tensor &x) {
  SmallVector<int64_t> shape(x.shape());
  std::swap(shape.end()[-1], shape.end()[-2]);
  Tensor result(x.type().clone(shape));
  int64_t rows = shape.end()[-1], columns = shape.end()[-2];
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t matrix = i / (rows * columns), at = i % (rows * columns);
    result[matrix * rows * columns + at % columns * rows + at / columns] = x[i];
  }
  return result;
}

Tensor matmul(graph::MatmulOp op, Operands in) {
  Tensor result(resultType(op));
  Tensor a = op.getTransposeA() ? turned(*in[0]) : *in[0];
  Tensor b = op.getTransposeB() ? turned(*in[1]) : *in[1];
  int64_t rows = a.shape().end()[-2], depth = a.shape().back();
  int64_t columns = b.shape().back();
  int64_t terms =
      in.size() > 2 ? std::clamp<int64_t>(in[2]->integer(0), 0, depth) : depth;
  int64_t batches = rows * columns ? result.size() / (rows * columns) : 0;
  Sums sums(a, b);
  for (int64_t row = 0; row < batches * rows; ++row)
    for (int64_t k = 0; k < terms; ++k)
      sums.add(result, row * columns, row * depth + k,
               (row / rows * depth + k) * columns, columns);
  return result;
}

Tensor convolution(graph::ConvolutionOp op, const Tensor &x,
                   const Tensor &filter) {
  Tensor result(resultType(op));
  auto spatial = [](const Tensor &t) {
    return t.shape().drop_front().drop_back();
  };
  Windows windows{
      spatial(x),      spatial(result),    filter.shape().drop_back(2),
      op.getStrides(), op.getPaddingLow(), op.getDilations()};
  int64_t inputs = x.shape().back(), outputs = result.shape().back();
  int64_t groups = op.getGroups(), ofGroup = inputs / groups;
  int64_t results = outputs / groups;
  int64_t pixels = product(windows.image), positions = product(windows.results);
  Sums sums(x, filter);
  for (int64_t image = 0; image < x.shape()[0]; ++image)
    windows.forEachTap([&](int64_t position, int64_t tap, int64_t pixel) {
      for (int64_t group = 0; group < groups; ++group)
        for (int64_t c = 0; c < ofGroup; ++c)
          sums.add(result,
                   (image * positions + position) * outputs + group * results,
                   (image * pixels + pixel) * inputs + group * ofGroup + c,
                   (tap * ofGroup + c) * outputs + group * results, results);
    });
  return result;
}

Tensor filterGradient(graph::FilterGradientOp op, const Tensor &x,
                      const Tensor &gradients) {
  Tensor result(resultType(op));
  Windows windows{x.shape().drop_front().drop_back(),
                  gradients.shape().drop_front().drop_back(),
                  op.getWindow(),
                  op.getStrides(),
                  op.getPaddingLow(),
                  op.getDilations()};
  int64_t inputs = x.shape().back(), outputs = gradients.shape().back();
  int64_t groups = op.getGroups(), ofGroup = inputs / groups;
  int64_t results = outputs / groups, taps = product(op.getWindow());
  int64_t pixels = product(windows.image), positions = product(windows.results);
  Sums sums(gradients, x);
  for (int64_t image = 0; image < x.shape()[0]; ++image)
    windows.forEachTap([&](int64_t position, int64_t tap, int64_t pixel) {
      for (int64_t output = 0; output < outputs; ++output)
        sums.add(result, (output * taps + tap) * ofGroup,
                 (image * positions + position) * outputs + output,
                 (image * pixels + pixel) * inputs + output / results * ofGroup,
                 ofGroup);
    });
  return result;
}

} // namespace

void addContraction(Evaluators &all) {
  all.add([](graph::MatmulOp op, Operands in) { return matmul(op, in); });
  all.add([](graph::ConvolutionOp op, Operands in) {
    return convolution(op, *in[0], *in[1]);
  });
  all.add([](graph::FilterGradientOp op, Operands in) {
    return filterGradient(op, *in[0], *in[1]);
  });
}

} // namespace weir::reference
