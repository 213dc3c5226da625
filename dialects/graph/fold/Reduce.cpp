// Folds the ops of the family Reduce.

#include "dialects/graph/Reduce.h"
#include "dialects/graph/Elements.h"
#include "dialects/graph/elementwise/Fold.h"

using namespace mlir;
using namespace weir::graph;

namespace {

/// A constant as lines along one dimension. The line of `outer` and `inner` has
/// a first element and a constant stride.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;

  Lines(ArrayRef<int64_t> shape, int64_t axis) {
    for (int64_t size : shape.take_front(axis))
      outer *= size;
    length = shape[axis];
    for (int64_t size : shape.drop_front(axis + 1))
      inner *= size;
  }
  int64_t at(int64_t o, int64_t i, int64_t position) const {
    return (o * length + position) * inner + i;
  }
};

} // namespace

/// No value unless it is a constant within the folders' limit.
static std::optional<SmallVector<Attribute>> elementsOf(Attribute value) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!constant || constant.getNumElements() > foldLimit)
    return std::nullopt;
  SmallVector<Attribute> elements;
  for (int64_t i = 0; i < constant.getNumElements(); ++i)
    elements.push_back(elementAt(constant, constant.isSplat() ? 0 : i));
  return elements;
}

static ScalarEvaluator combiner(Location loc, Reduction kind, Type element) {
  Type types[] = {accumulatorOf(element), signless(element)};
  return ScalarEvaluator(
      loc, types, [&](OpBuilder &b, Location loc, ValueRange args) {
        return combine(kind, element, b, loc, args[0], args[1]);
      });
}

static ScalarEvaluator finisher(Location loc, Type element) {
  return ScalarEvaluator(loc, accumulatorOf(element),
                         [&](OpBuilder &b, Location loc, ValueRange args) {
                           return finish(element, b, loc, args[0]);
                         });
}

template <typename Op>
static OpFoldResult foldReduction(Op op, Attribute x) {
  RankedTensorType from = op.getX().getType(), to = op.getType();
  if (op.getDimensions().empty())
    return op.getX();
  Type element = from.getElementType();
  // The result has no elements.
  if (from.getNumElements() == 0) {
    if (to.getNumElements() == 0)
      return constantOf(to, {});
    ScalarEvaluator finish = finisher(op.getLoc(), element);
    return constantOf(to, finish({identityOf(Op::kind, element)}));
  }
  std::optional<SmallVector<Attribute>> elements = elementsOf(x);
  if (!elements || to.getNumElements() > foldLimit)
    return {};
  ScalarEvaluator combine = combiner(op.getLoc(), Op::kind, element);
  ScalarEvaluator finish = finisher(op.getLoc(), element);
  SmallVector<Attribute> sums(to.getNumElements(),
                              identityOf(Op::kind, element));
  SmallVector<int64_t> steps(from.getRank());
  int64_t step = 1;
  for (int64_t d = from.getRank(); d-- > 0;)
    if (!llvm::is_contained(op.getDimensions(), d)) {
      steps[d] = step;
      step *= from.getDimSize(d);
    }
  SmallVector<int64_t> strides = stridesOf(from.getShape());
  for (auto [i, value] : llvm::enumerate(*elements)) {
    int64_t position = 0;
    for (int64_t d = 0; d < from.getRank(); ++d)
      position +=
          static_cast<int64_t>(i) / strides[d] % from.getDimSize(d) * steps[d];
    sums[position] = combine({sums[position], value});
    if (!sums[position])
      return {};
  }
  for (Attribute &sum : sums)
    if (!(sum = finish(sum)))
      return {};
  return constantOf(to, sums);
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor adaptor) {
  return foldReduction(*this, adaptor.getX());
}

OpFoldResult ReduceProdOp::fold(FoldAdaptor adaptor) {
  return foldReduction(*this, adaptor.getX());
}

OpFoldResult ReduceMaxOp::fold(FoldAdaptor adaptor) {
  return foldReduction(*this, adaptor.getX());
}

OpFoldResult ReduceMinOp::fold(FoldAdaptor adaptor) {
  return foldReduction(*this, adaptor.getX());
}

OpFoldResult ReduceAndOp::fold(FoldAdaptor adaptor) {
  return foldReduction(*this, adaptor.getX());
}

OpFoldResult ReduceOrOp::fold(FoldAdaptor adaptor) {
  return foldReduction(*this, adaptor.getX());
}

/// Whether `x` is more extreme than `best`. A NaN is the most extreme.
static bool isBeyond(Attribute x, Attribute best, bool isUnsigned, bool most) {
  if (auto number = dyn_cast<FloatAttr>(x)) {
    APFloat a = number.getValue(), b = cast<FloatAttr>(best).getValue();
    if (a.isNaN() || b.isNaN())
      return !b.isNaN();
    return a.compare(b) ==
           (most ? APFloat::cmpGreaterThan : APFloat::cmpLessThan);
  }
  APInt a = cast<IntegerAttr>(x).getValue();
  APInt b = cast<IntegerAttr>(best).getValue();
  if (!most)
    std::swap(a, b);
  return isUnsigned ? a.ugt(b) : a.sgt(b);
}

template <typename Op>
static OpFoldResult foldArg(Op op, Attribute x, bool most) {
  RankedTensorType from = op.getX().getType(), to = op.getType();
  if (to.getNumElements() == 0)
    return constantOf(to, {});
  std::optional<SmallVector<Attribute>> elements = elementsOf(x);
  if (!elements)
    return {};
  bool isUnsigned = from.getElementType().isUnsignedInteger() ||
                    from.getElementType().isInteger(1);
  Lines lines(from.getShape(), op.getAxis());
  SmallVector<APInt> positions;
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      int64_t best = 0;
      for (int64_t position = 1; position < lines.length; ++position)
        if (isBeyond((*elements)[lines.at(o, i, position)],
                     (*elements)[lines.at(o, i, best)], isUnsigned, most))
          best = position;
      positions.emplace_back(64, best);
    }
  for (APInt &position : positions)
    position = position.trunc(to.getElementType().getIntOrFloatBitWidth());
  return DenseElementsAttr::get(to, positions);
}

OpFoldResult ArgMaxOp::fold(FoldAdaptor adaptor) {
  return foldArg(*this, adaptor.getX(), /*most=*/true);
}

OpFoldResult ArgMinOp::fold(FoldAdaptor adaptor) {
  return foldArg(*this, adaptor.getX(), /*most=*/false);
}

template <typename Op>
static OpFoldResult foldCumulative(Op op, Attribute x) {
  if (op.getType().getNumElements() == 0)
    return constantOf(op.getType(), {});
  std::optional<SmallVector<Attribute>> elements = elementsOf(x);
  if (!elements)
    return {};
  Type element = op.getType().getElementType();
  ScalarEvaluator combine = combiner(op.getLoc(), Op::kind, element);
  ScalarEvaluator finish = finisher(op.getLoc(), element);
  Lines lines(op.getType().getShape(), op.getAxis());
  SmallVector<Attribute> sums(elements->size());
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      Attribute sum = identityOf(Op::kind, element);
      for (int64_t step = 0; step < lines.length; ++step) {
        int64_t position = op.getReverse() ? lines.length - 1 - step : step;
        Attribute next = combine({sum, (*elements)[lines.at(o, i, position)]});
        if (!next)
          return {};
        Attribute &result = sums[lines.at(o, i, position)];
        result = finish(op.getExclusive() ? sum : next);
        if (!result)
          return {};
        sum = next;
      }
    }
  return constantOf(op.getType(), sums);
}

OpFoldResult CumulativeSumOp::fold(FoldAdaptor adaptor) {
  return foldCumulative(*this, adaptor.getX());
}

OpFoldResult CumulativeProdOp::fold(FoldAdaptor adaptor) {
  return foldCumulative(*this, adaptor.getX());
}

OpFoldResult CumulativeLogSumExpOp::fold(FoldAdaptor adaptor) {
  return foldCumulative(*this, adaptor.getX());
}
