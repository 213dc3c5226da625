// Pools, softmax and non-maximum suppression of the reference interpreter.

#include "compiler/reference/Families.h"
#include "compiler/reference/Windows.h"

#include "dialects/graph/Neural.h"
#include "dialects/graph/Reduce.h"
#include <cmath>

using namespace mlir;

namespace weir::reference {
namespace {

template <typename Op>
Windows windowsOf(Op op, const Tensor &x, ArrayRef<int64_t> ones) {
  return {x.shape().drop_front().drop_back(),
          resultType(op).getShape().drop_front().drop_back(),
          op.getWindow(),
          op.getStrides(),
          op.getPaddingLow(),
          ones};
}

/// Calls `body(result, element, pixel)` for each element of each window: the
/// indices of a result, of an element of x, and of its pixel in the image.
template <typename Op>
void forEachElement(Op op, const Tensor &x,
                    function_ref<void(int64_t, int64_t, int64_t)> body) {
  SmallVector<int64_t> ones(op.getWindow().size(), 1);
  Windows windows = windowsOf(op, x, ones);
  int64_t channels = x.shape().back();
  int64_t pixels = product(windows.image), positions = product(windows.results);
  for (int64_t image = 0; image < x.shape()[0]; ++image)
    windows.forEachTap([&](int64_t position, int64_t, int64_t pixel) {
      for (int64_t c = 0; c < channels; ++c)
        body((image * positions + position) * channels + c,
             (image * pixels + pixel) * channels + c, pixel * channels + c);
    });
}

/// For each result, the index in `x` of the first largest element.
template <typename Op>
std::vector<int64_t> largest(Op op, const Tensor &x) {
  std::vector<int64_t> best(resultType(op).getNumElements(), -1);
  auto isNan = [&](int64_t i) {
    return x.isFloat() && std::isnan(x[i].number);
  };
  forEachElement(op, x, [&](int64_t to, int64_t from, int64_t) {
    if (best[to] < 0 || (!isNan(best[to]) && isLess(x, best[to], from)))
      best[to] = from;
  });
  return best;
}

Tensor poolMax(graph::PoolMaxOp op, const Tensor &x) {
  Tensor result(op.getType());
  // A window of padding alone has the lowest number.
  TypedAttr lowest = graph::identityOf(graph::Reduction::max, x.elementType());
  for (auto [i, best] : llvm::enumerate(largest(op, x)))
    if (best >= 0)
      result[i] = x[best];
    else if (auto number = dyn_cast<FloatAttr>(lowest))
      result[i].number = number.getValueAsDouble();
    else
      result[i].bits = cast<IntegerAttr>(lowest).getValue().getZExtValue();
  return result;
}

Tensor poolArgMax(graph::PoolArgMaxOp op, const Tensor &x) {
  Tensor result(resultType(op));
  int64_t ofImage = product(x.shape().drop_front());
  for (auto [i, best] : llvm::enumerate(largest(op, x)))
    result.setInteger(i, best < 0 ? 0 : best % ofImage);
  return result;
}

Tensor poolAverage(graph::PoolAverageOp op, const Tensor &x) {
  Tensor result(op.getType());
  std::vector<int64_t> counts(result.size(), 0);
  forEachElement(op, x, [&](int64_t to, int64_t from, int64_t) {
    result[to].number += x[from].number;
    ++counts[to];
  });
  int64_t all = product(op.getWindow());
  for (int64_t i = 0; i < result.size(); ++i)
    result[i].number /= double(op.getCountsPadding() ? all : counts[i]);
  return result;
}

Tensor softmax(const Tensor &x, bool isLog, bool masked) {
  Tensor result(x);
  int64_t count = x.shape().back();
  for (int64_t first = 0; count && first < x.size(); first += count) {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t i = first; i < first + count; ++i)
      most = std::isnan(x[i].number)
                 ? x[i].number
                 : (most < x[i].number ? x[i].number : most);
    for (int64_t i = first; i < first + count; ++i)
      sum += std::exp(x[i].number - most);
    bool isEmpty = masked && most == -std::numeric_limits<double>::infinity();
    for (int64_t i = first; i < first + count; ++i) {
      double distance = x[i].number - most;
      result[i].number = isEmpty ? 0
                         : isLog ? distance - std::log(sum)
                                 : std::exp(distance) / sum;
    }
  }
  return result;
}

/// The overlap of two boxes: intersection over union.
double overlapOf(const Tensor &boxes, int64_t a, int64_t b) {
  auto side = [&](int64_t box, int64_t axis) {
    double x = boxes[box * 4 + axis].number,
           y = boxes[box * 4 + axis + 2].number;
    return std::pair(std::min(x, y), std::max(x, y));
  };
  double common = 1, first = 1, second = 1;
  for (int64_t axis : {0, 1}) {
    auto [lowA, highA] = side(a, axis);
    auto [lowB, highB] = side(b, axis);
    common *= std::max(0., std::min(highA, highB) - std::max(lowA, lowB));
    first *= highA - lowA;
    second *= highB - lowB;
  }
  return common > 0 ? common / (first + second - common) : 0;
}

Results suppress(graph::SuppressOp op, Operands in) {
  SmallVector<Tensor, 1> results = zeroResults(op);
  const Tensor &boxes = *in[0];
  Tensor scores = *in[1];
  double limit = (*in[2])[0].number, lowest = (*in[3])[0].number;
  double softness = (*in[4])[0].number;
  int64_t most = std::min<int64_t>(in[5]->integer(0), op.getLimit());
  int64_t count = 0;
  std::vector<bool> gone(scores.size(), false);
  for (; count < most; ++count) {
    int64_t best = -1;
    for (int64_t i = 0; i < scores.size(); ++i)
      if (!gone[i] && scores[i].number > lowest &&
          (best < 0 || scores[i].number > scores[best].number))
        best = i;
    if (best < 0)
      break;
    results[0].setInteger(count, best);
    results[1][count] = scores[best];
    gone[best] = true;
    for (int64_t i = 0; i < scores.size(); ++i) {
      double overlap = overlapOf(boxes, best, i);
      if (softness > 0)
        scores[i].number *= std::exp(-overlap * overlap / (2 * softness));
      else if (overlap > limit)
        gone[i] = true;
    }
  }
  results[2].setInteger(0, count);
  return results;
}

} // namespace

void addPool(Evaluators &all) {
  all.add([](graph::PoolMaxOp op, Operands in) { return poolMax(op, *in[0]); });
  all.add([](graph::PoolArgMaxOp op, Operands in) {
    return poolArgMax(op, *in[0]);
  });
  all.add([](graph::PoolAverageOp op, Operands in) {
    return poolAverage(op, *in[0]);
  });
  all.add([](graph::SoftmaxOp op, Operands in) {
    return softmax(*in[0], /*isLog=*/false, op.getMasked());
  });
  all.add([](graph::LogSoftmaxOp, Operands in) {
    return softmax(*in[0], /*isLog=*/true, /*masked=*/false);
  });
  all.add([](graph::SuppressOp op, Operands in) { return suppress(op, in); });
}

} // namespace weir::reference
