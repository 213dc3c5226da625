// Reductions, places of extremes and cumulative nodes.

#include "compiler/import/tensorflow/elementwise/ReduceNodes.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/build/Norms.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::tensorflow {
Expr Reduced::shaped(Expr result) const {
  if (!keep)
    return result;
  SmallVector<int64_t> shape(x.shape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  return reshape(result, shape);
}

FailureOr<Reduced> reducedOf(Node &node, Elements elements) {
  if (node.size() != 2)
    return node.error() << "has " << node.size() << " operands instead of 2";
  Expr x = operand(node, 0);
  if (!isOf(x.elementType(), elements))
    return node.error() << "does not take " << x.type();
  FailureOr<SmallVector<int64_t>> axes = node.integers(1);
  if (failed(axes))
    return failure();
  SmallVector<bool> isReduced(x.rank());
  for (int64_t axis : *axes) {
    if (axis < -x.rank() || axis >= x.rank())
      return node.error() << "axis " << axis << " is none of " << x.type();
    int64_t dim = axis < 0 ? axis + x.rank() : axis;
    if (isReduced[dim])
      return node.error() << "reduces axis " << dim << " twice";
    isReduced[dim] = true;
  }
  Reduced reduced{x, {}, node.boolAttr("keep_dims")};
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    if (isReduced[dim])
      reduced.dims.push_back(dim);
  return reduced;
}

Expr widened(Expr x) {
  bool isFloat16 = isa<FloatType>(x.elementType()) &&
                   x.elementType().getIntOrFloatBitWidth() < 32;
  return isFloat16 ? cast(x, x.b->getF32Type()) : x;
}

namespace {

template <typename Op, Elements elements>
LogicalResult importReduction(Node &node) {
  FailureOr<Reduced> reduced = reducedOf(node, elements);
  if (failed(reduced))
    return failure();
  Value y = make<Op>(node.b, reduced->x.value, reduced->dims);
  return give(node, reduced->shaped(Expr(node.b, y)));
}

/// The product of a list of sizes is that of its elements, of which some may be
/// known although the list is not.
LogicalResult importProduct(Node &node) {
  constexpr int64_t longest = 8;
  FailureOr<Reduced> reduced = reducedOf(node, Elements::numbers);
  if (failed(reduced))
    return failure();
  Expr x = reduced->x;
  if (x.rank() != 1 || reduced->dims.empty() || x.size(0) > longest ||
      !x.elementType().isSignlessInteger() || !x.value.getDefiningOp())
    return importReduction<graph::ReduceProdOp, Elements::numbers>(node);
  Expr y = x.like(1);
  for (int64_t i = 0; i < x.size(0); ++i)
    y = y * Expr(node.b, elementOf(node.b, x.value, i));
  return give(node, reduced->shaped(y));
}

LogicalResult importMean(Node &node) {
  FailureOr<Reduced> reduced = reducedOf(node, Elements::numbers);
  if (failed(reduced))
    return failure();
  Expr y = mean(widened(reduced->x), reduced->dims);
  return give(node, reduced->shaped(cast(y, reduced->x.elementType())));
}

LogicalResult importEuclideanNorm(Node &node) {
  FailureOr<Reduced> reduced = reducedOf(node, Elements::numbers);
  if (failed(reduced))
    return failure();
  Expr x = widened(reduced->x);
  Expr squares = sum(x * x, reduced->dims);
  if (isa<IntegerType>(x.elementType()))
    squares = cast(squares, node.b.getF64Type());
  Expr y = rootOfPowers(squares, 2);
  return give(node, reduced->shaped(cast(y, reduced->x.elementType())));
}

/// TensorFlow's kernel begins at place 0 with the lowest finite number and
/// compares, so that it never moves to a NaN or to -inf.
template <typename Op>
Expr asCompared(Expr x) {
  constexpr bool most = std::is_same_v<Op, graph::ArgMaxOp>;
  auto number = dyn_cast<FloatType>(x.elementType());
  if (!number)
    return x;
  APFloat start = APFloat::getLargest(number.getFloatSemantics(), most);
  Expr first = x.like(start.convertToDouble());
  return select(most ? apply<graph::LessOp>(first, x)
                     : apply<graph::LessOp>(x, first),
                x, first);
}

template <typename Op>
LogicalResult importArg(Node &node) {
  if (node.size() != 2)
    return node.error() << "has " << node.size() << " operands instead of 2";
  Expr x = operand(node, 0);
  FailureOr<int64_t> axis = node.axisAt(1, x.rank());
  if (failed(axis))
    return failure();
  if (x.size(*axis) == 0)
    return node.error() << "finds no element along axis " << *axis << " of "
                        << x.type();
  Type position = node.hasAttr("output_type") ? node.typeAttr("output_type")
                                              : Type(node.b.getI64Type());
  if (!position || !position.isIntOrIndex() ||
      position.getIntOrFloatBitWidth() < 16)
    return node.unsupported("its output_type");
  SmallVector<int64_t> shape(x.shape());
  shape.erase(shape.begin() + *axis);
  return node.result(make<Op>(node.b, RankedTensorType::get(shape, position),
                              asCompared<Op>(x).value,
                              node.b.getI64IntegerAttr(*axis)));
}

template <typename Op, Elements elements>
LogicalResult importCumulative(Node &node) {
  if (node.size() != 2)
    return node.error() << "has " << node.size() << " operands instead of 2";
  Expr x = operand(node, 0);
  if (!isOf(x.elementType(), elements))
    return node.error() << "does not take " << x.type();
  FailureOr<int64_t> axis = node.axisAt(1, x.rank());
  if (failed(axis))
    return failure();
  return node.result(
      make<Op>(node.b, x.type(), x.value, static_cast<uint64_t>(*axis),
               node.boolAttr("exclusive"), node.boolAttr("reverse")));
}

/// Sums and means of complex tensors: those of their parts.
LogicalResult importComplexSum(Node &node) {
  FailureOr<Reduced> reduced = reducedOf(node, Elements::floats);
  if (failed(reduced))
    return failure();
  Traced result;
  for (Value part : {node.traced(0).value, node.traced(0).imaginary}) {
    Expr x(node.b, part);
    Expr y =
        node.op() == "Mean" ? mean(x, reduced->dims) : sum(x, reduced->dims);
    y = reduced->shaped(y);
    if (!y)
      return give(node, y);
    (result.value ? result.imaginary : result.value) = y.value;
  }
  return node.tracedResults({result});
}

} // namespace

void addComplexReduceHandlers(Handlers &handlers) {
  handlers["Sum"] = {importComplexSum, Takes::complex};
  handlers["Mean"] = {importComplexSum, Takes::complex};
}

void addReduceHandlers(Handlers &handlers) {
  constexpr Elements numbers = Elements::numbers, bools = Elements::bools;
  handlers["Sum"] = importReduction<graph::ReduceSumOp, numbers>;
  handlers["Prod"] = importProduct;
  handlers["Max"] = importReduction<graph::ReduceMaxOp, numbers>;
  handlers["Min"] = importReduction<graph::ReduceMinOp, numbers>;
  handlers["All"] = importReduction<graph::ReduceAndOp, bools>;
  handlers["Any"] = importReduction<graph::ReduceOrOp, bools>;
  handlers["Mean"] = importMean;
  handlers["EuclideanNorm"] = importEuclideanNorm;
  handlers["ArgMax"] = importArg<graph::ArgMaxOp>;
  handlers["ArgMin"] = importArg<graph::ArgMinOp>;
  handlers["Cumsum"] = importCumulative<graph::CumulativeSumOp, numbers>;
  handlers["Cumprod"] = importCumulative<graph::CumulativeProdOp, numbers>;
  handlers["CumulativeLogsumexp"] =
      importCumulative<graph::CumulativeLogSumExpOp, Elements::floats>;
}

} // namespace weir::tensorflow
