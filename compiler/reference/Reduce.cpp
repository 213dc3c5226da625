// Ops of the reference interpreter that combine elements along dimensions.

#include "compiler/reference/Families.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Reduce.h"
#include <cmath>

using namespace mlir;

namespace weir::reference {
namespace {

/// Combines elements of one type. Integers wrap to the width of the type.
class Combiner {
public:
  Combiner(graph::Reduction kind, Type type)
      : kind(kind), both(RankedTensorType::get({2}, type)) {}

  /// The result of no elements.
  Lane identity() const {
    TypedAttr value = graph::identityOf(kind, both.elementType());
    if (auto number = dyn_cast<FloatAttr>(value))
      return {.number = number.getValueAsDouble()};
    return {.bits = cast<IntegerAttr>(value).getValue().getZExtValue()};
  }

  Lane operator()(Lane x, Lane y) {
    both[0] = x;
    both[1] = y;
    bool isFloat = both.isFloat();
    switch (kind) {
    case graph::Reduction::sum:
      isFloat ? void(both[0].number = x.number + y.number)
              : both.setInteger(0, int64_t(x.bits + y.bits));
      break;
    case graph::Reduction::prod:
      isFloat ? void(both[0].number = x.number * y.number)
              : both.setInteger(0, int64_t(x.bits * y.bits));
      break;
    case graph::Reduction::and_:
      both[0].bits = x.bits & y.bits;
      break;
    case graph::Reduction::or_:
      both[0].bits = x.bits | y.bits;
      break;
    case graph::Reduction::max:
    case graph::Reduction::min:
      if (isFloat && std::isnan(x.number))
        return x;
      if (isFloat && std::isnan(y.number))
        return y;
      return isLess(both, 0, 1) == (kind == graph::Reduction::max) ? y : x;
    case graph::Reduction::logSumExp:
      both[0].number = logSum(x.number, y.number);
      break;
    }
    return both[0];
  }

private:
  static double logSum(double x, double y) {
    if (std::isnan(x) || std::isnan(y))
      return x + y;
    double high = std::max(x, y), low = std::min(x, y);
    if (std::isinf(high))
      return high;
    return high + std::log1p(std::exp(low - high));
  }

  graph::Reduction kind;
  Tensor both;
};

Tensor reduce(Operation *op, ArrayRef<int64_t> dimensions,
              graph::Reduction kind, const Tensor &x) {
  Tensor result(resultType(op));
  Combiner combine(kind, x.elementType());
  std::fill_n(result.data(), result.size(), combine.identity());
  // The offset in the result moves along the dimensions that stay.
  SmallVector<int64_t> to = graph::stridesOf(result.shape());
  SmallVector<int64_t> strides(x.shape().size(), 0);
  size_t kept = 0;
  for (size_t i = 0; i < strides.size(); ++i)
    if (!llvm::is_contained(dimensions, int64_t(i)))
      strides[i] = to[kept++];
  int64_t from = 0;
  forEachOffset(x.shape(), strides, 0, [&](int64_t offset) {
    result[offset] = combine(result[offset], x[from++]);
  });
  return result;
}

/// Calls `body(first, stride, row)` for each row along an axis.
void forEachRow(const Tensor &x, int64_t axis,
                function_ref<void(int64_t, int64_t, int64_t)> body) {
  int64_t size = x.shape()[axis];
  int64_t stride = graph::stridesOf(x.shape())[axis];
  if (size == 0)
    return;
  for (int64_t row = 0; row < x.size() / size; ++row)
    body(row / stride * stride * size + row % stride, stride, row);
}

/// The first element of each row that no other one exceeds; a NaN exceeds all.
Tensor argExtreme(Operation *op, int64_t axis, bool isMax, const Tensor &x) {
  Tensor result(resultType(op));
  auto isNan = [&](int64_t at) {
    return x.isFloat() && std::isnan(x[at].number);
  };
  forEachRow(x, axis, [&](int64_t first, int64_t stride, int64_t row) {
    int64_t best = 0;
    for (int64_t i = 1; i < x.shape()[axis]; ++i) {
      int64_t at = first + i * stride, old = first + best * stride;
      if (isNan(old))
        break;
      if (isNan(at) || (isMax ? isLess(x, old, at) : isLess(x, at, old)))
        best = i;
    }
    result.setInteger(row, best);
  });
  return result;
}

template <typename Op>
Tensor cumulate(Op op, const Tensor &x) {
  Tensor result(x);
  int64_t axis = op.getAxis(), size = x.shape()[axis];
  Combiner combine(Op::kind, x.elementType());
  forEachRow(x, axis, [&](int64_t first, int64_t stride, int64_t) {
    Lane sum = combine.identity();
    for (int64_t i = 0; i < size; ++i) {
      int64_t at = first + (op.getReverse() ? size - 1 - i : i) * stride;
      Lane before = sum;
      sum = combine(sum, x[at]);
      result[at] = op.getExclusive() ? before : sum;
    }
  });
  return result;
}

} // namespace

void addReduce(Evaluators &all) {
  all.addEach<graph::ReduceSumOp, graph::ReduceProdOp, graph::ReduceMaxOp,
              graph::ReduceMinOp, graph::ReduceAndOp, graph::ReduceOrOp>(
      [](auto op, Operands in) {
        return reduce(op, op.getDimensions(), op.kind, *in[0]);
      });
  all.add([](graph::ArgMaxOp op, Operands in) {
    return argExtreme(op, op.getAxis(), /*isMax=*/true, *in[0]);
  });
  all.add([](graph::ArgMinOp op, Operands in) {
    return argExtreme(op, op.getAxis(), /*isMax=*/false, *in[0]);
  });
  all.addEach<graph::CumulativeSumOp, graph::CumulativeProdOp,
              graph::CumulativeLogSumExpOp>(
      [](auto op, Operands in) { return cumulate(op, *in[0]); });
}

} // namespace weir::reference
