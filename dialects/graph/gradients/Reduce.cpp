// Derivatives of reductions and of cumulative ops.

#include "dialects/graph/Gradients.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"

using namespace mlir;
using namespace weir::graph;
using namespace weir::graph::build;

/// The value of each reduced part, at all elements of `x` that it came from.
static Expr spread(Expr value, ArrayRef<int64_t> dimensions, Expr x) {
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (!llvm::is_contained(dimensions, d))
      kept.push_back(d);
  auto type = value.type().clone(x.shape());
  return Expr(*x.b, make<BroadcastOp>(*x.b, type, value.value, kept));
}

template <>
void weir::graph::rule<ReduceSumOp>(ReduceSumOp op, Gradients &gradients) {
  gradients.give(
      0, spread(gradients.of(0), op.getDimensions(), gradients.operand(0)));
}

static Expr cumulativeProd(Expr x, int64_t axis, bool exclusive, bool reverse) {
  return Expr(*x.b,
              make<CumulativeProdOp>(*x.b, x.value, axis, exclusive, reverse));
}

static Expr cumulativeSum(Expr x, int64_t axis, bool exclusive, bool reverse) {
  return Expr(*x.b,
              make<CumulativeSumOp>(*x.b, x.value, axis, exclusive, reverse));
}

// Each element's factor is the product of all others, which is that of those
// before and of those behind it: zeros do no harm.
template <>
void weir::graph::rule<ReduceProdOp>(ReduceProdOp op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0);
  if (x.type().getNumElements() == 0)
    return;
  SmallVector<int64_t> permutation, shape;
  int64_t count = 1;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (!llvm::is_contained(op.getDimensions(), d)) {
      permutation.push_back(d);
      shape.push_back(x.size(d));
    }
  for (int64_t d : op.getDimensions()) {
    permutation.push_back(d);
    count *= x.size(d);
  }
  shape.push_back(count);
  auto last = static_cast<int64_t>(shape.size()) - 1;
  Expr moved = transpose(x, permutation), rows = reshape(moved, shape);
  Expr others = cumulativeProd(rows, last, true, false) *
                cumulativeProd(rows, last, true, true);
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, d] : llvm::enumerate(permutation))
    inverse[d] = i;
  others = transpose(reshape(others, moved.shape()), inverse);
  gradients.give(0, others * spread(g, op.getDimensions(), x));
}

/// The gradient is shared out evenly among the elements that are the extreme.
template <typename Op>
static void shareAmongTies(Op op, Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0);
  Expr extreme = spread(gradients.result(0), op.getDimensions(), x);
  Expr chosen = cast(apply<EqualOp>(x, extreme), x.elementType());
  Expr share = g / sum(chosen, op.getDimensions());
  gradients.give(0, chosen * spread(share, op.getDimensions(), x));
}

template <>
void weir::graph::rule<ReduceMaxOp>(ReduceMaxOp op, Gradients &gradients) {
  shareAmongTies(op, gradients);
}

template <>
void weir::graph::rule<ReduceMinOp>(ReduceMinOp op, Gradients &gradients) {
  shareAmongTies(op, gradients);
}

template <>
void weir::graph::rule<CumulativeSumOp>(CumulativeSumOp op,
                                        Gradients &gradients) {
  gradients.give(0, cumulativeSum(gradients.of(0), op.getAxis(),
                                  op.getExclusive(), !op.getReverse()));
}

/// The elements `distance` behind along `axis`, zeros behind the last.
static Expr shifted(Expr x, int64_t axis, int64_t distance) {
  SmallVector<int64_t> low(x.rank()), high(x.rank());
  low[axis] = -distance, high[axis] = distance;
  return pad(x, low, high);
}

/// S with S[i] = b[i] + a[i] S[i + 1] along `axis`, by doubling how many terms
/// each element has.
static Expr recurrence(Expr a, Expr b, int64_t axis) {
  for (int64_t terms = 1; terms < b.size(axis); terms *= 2) {
    b = b + a * shifted(b, axis, terms);
    a = a * shifted(a, axis, terms);
  }
  return b;
}

// With P[i] the product before i, the results that x[i] is in are P[i] x[i]
// times the products behind it, whose weighted sum is a recurrence. Nothing is
// divided by x: zeros do no harm.
template <>
void weir::graph::rule<CumulativeProdOp>(CumulativeProdOp op,
                                         Gradients &gradients) {
  Expr g = gradients.of(0), x = gradients.operand(0);
  if (x.type().getNumElements() == 0)
    return;
  auto axis = static_cast<int64_t>(op.getAxis());
  if (op.getReverse())
    x = reverse(x, axis), g = reverse(g, axis);
  Expr result = cumulativeProd(x, axis, /*exclusive=*/true, /*reverse=*/false) *
                recurrence(shifted(x, axis, 1),
                           op.getExclusive() ? shifted(g, axis, 1) : g, axis);
  gradients.give(0, op.getReverse() ? reverse(result, axis) : result);
}

// By logarithms of the positive and the negative gradients, so that no
// exponential overflows.
template <>
void weir::graph::rule<CumulativeLogSumExpOp>(CumulativeLogSumExpOp op,
                                              Gradients &gradients) {
  Expr g = gradients.of(0), r = gradients.result(0), x = gradients.operand(0);
  auto type = llvm::cast<FloatType>(x.elementType());
  double lowest =
      APFloat::getLargest(type.getFloatSemantics(), true).convertToDouble();
  auto part = [&](Expr g) {
    Expr logarithm = select(positive(g), logOrZero(g), g.like(lowest)) - r;
    Expr sums(gradients.b, make<CumulativeLogSumExpOp>(
                               gradients.b, logarithm.value, op.getAxis(),
                               op.getExclusive(), !op.getReverse()));
    return apply<ExpOp>(sums + x);
  };
  gradients.give(0, part(g) - part(-g));
}
