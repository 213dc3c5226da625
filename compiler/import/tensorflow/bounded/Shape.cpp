// Ops that are given a shape, or keep every element, for sizes known only at
// run time.

#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The sizes that a Reshape asks for, of which one may be -1.
FailureOr<Sizes> reshapedSizes(Node &node, ArrayRef<Value> wanted) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes from = sizesOf(node.traced(0));
  Expr total = product(b, from, 0, from.size()), one = number(b, 1);
  auto isFixed = [](Value scalar) {
    return knownNumber(scalar).value_or(-1) >= 0;
  };
  Expr known = one;
  for (Value scalar : wanted) {
    Expr size(b, scalar);
    known = known * select(apply<graph::LessOp>(size, number(b, 0)), one, size);
  }
  Expr left = apply<graph::FloorDivOp>(total, maximum(known, one));
  SmallVector<Value> scalars;
  for (Value scalar : wanted) {
    Expr size(b, scalar);
    Expr isOpen = apply<graph::LessOp>(size, number(b, 0));
    scalars.push_back(isFixed(scalar) ? scalar
                                      : select(isOpen, left, size).value);
  }
  // The inferred size of a dimension keeps the identity of the one that it is:
  // [n, 4, 2] as [-1, 8] has n rows.
  auto others = [&](size_t but) {
    int64_t count = 1;
    for (auto [i, scalar] : llvm::enumerate(wanted))
      if (i != but) {
        auto size = knownNumber(scalar);
        if (!size || *size <= 0)
          return int64_t(-1);
        count *= *size;
      }
    return count;
  };
  int64_t fixed = 1, open = 0, which = -1;
  for (auto [i, size] : llvm::enumerate(from)) {
    if (size.isKnown()) {
      fixed *= size.bound;
    } else {
      ++open;
      which = static_cast<int64_t>(i);
    }
  }
  for (auto [i, scalar] : llvm::enumerate(wanted))
    if (auto size = knownNumber(scalar);
        size && *size < 0 && open == 1 && others(i) == fixed)
      scalars[i] = from[which].exact;
  SmallVector<int64_t> caps(wanted.size(), node.type(0).getNumElements());
  auto sizes = sizesFrom(node, scalars, caps);
  if (failed(sizes))
    return failure();
  Expr count = product(b, *sizes, 0, sizes->size());
  if (count.value != total.value)
    require(node, apply<graph::EqualOp>(count, total),
            "the new shape has another number of elements");
  return sizes;
}

LogicalResult importReshape(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto wanted = scalarsOf(node, 1);
  if (failed(wanted))
    return failure();
  auto sizes = reshapedSizes(node, *wanted);
  if (failed(sizes))
    return failure();
  return node.tracedResults({reshapeBounded(node.b, node.traced(0), *sizes)});
}

LogicalResult importTranspose(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto permutation = node.integers(1);
  if (failed(permutation))
    return failure();
  if (failed(runOnPlaces(node, {})))
    return failure();
  Sizes from = sizesOf(node.traced(0)), to;
  for (int64_t dim : *permutation)
    to.push_back(from[dim < 0 ? dim + node.rank(0) : dim]);
  return giveSizes(node, 0, to);
}

LogicalResult importFill(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  if (node.rank(1) != 0)
    return node.error() << "cannot fill with " << node.type(1);
  auto sizes = sizesAt(node, 0);
  if (failed(sizes))
    return failure();
  return node.tracedResults({withSizes(
      broadcastTo(node.b, node.operand(1), boundsOf(*sizes)), *sizes)});
}

/// What Empty leaves open is zero.
LogicalResult importEmpty(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Type type = node.typeAttr("dtype");
  if (!type)
    return node.unsupported("its element type");
  auto sizes = sizesAt(node, 0);
  if (failed(sizes))
    return failure();
  auto place = RankedTensorType::get(boundsOf(*sizes), type);
  return node.tracedResults({withSizes(splat(node.b, place, 0), *sizes)});
}

LogicalResult importRange(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Type type = node.type(0).getElementType();
  for (unsigned i = 0; i < 3; ++i)
    if (node.type(i) != RankedTensorType::get({}, type))
      return node.error() << "operand " << i << " is " << node.type(i)
                          << ", no scalar of the type of the others";
  // Counts are whole numbers below 2^53, which f64 holds.
  bool isFloat = isa<FloatType>(type);
  Type wide = isFloat ? Type(b.getF64Type()) : Type(b.getI64Type());
  Expr start = cast(operand(node, 0), wide),
       limit = cast(operand(node, 1), wide),
       step = cast(operand(node, 2), wide);
  require(node, apply<graph::NotEqualOp>(step, step.like(0)),
          "counts by steps of 0");
  Expr count;
  if (isFloat) {
    count = cast(apply<graph::CeilOp>((limit - start) / step), b.getI64Type());
  } else {
    // Rounded up: minus the quotient of the negative, rounded down.
    Expr safe =
        select(apply<graph::EqualOp>(step, step.like(0)), step.like(1), step);
    count = -apply<graph::FloorDivOp>(start - limit, safe);
  }
  auto sizes = sizesFrom(node, {count.value});
  if (failed(sizes))
    return failure();
  auto place = RankedTensorType::get(boundsOf(*sizes), type);
  Expr index(b, make<graph::IotaOp>(b, place, 0));
  return node.tracedResults(
      {withSizes((operand(node, 0) + index * operand(node, 2)).value, *sizes)});
}

LogicalResult importLinSpace(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr start = operand(node, 0), stop = operand(node, 1);
  auto counts = scalarsOf(node, 2);
  if (failed(counts))
    return failure();
  if (counts->size() != 1)
    return node.error() << "has no number of points but " << node.type(2);
  if (start.rank() != 0 || stop.type() != start.type() ||
      !isa<FloatType>(start.elementType()))
    return node.error() << "has no range from " << start.type() << " to "
                        << stop.type();
  require(node, apply<graph::GreaterOp>(Expr(b, counts->front()), number(b, 0)),
          "makes no numbers");
  auto sizes = sizesFrom(node, *counts);
  if (failed(sizes))
    return failure();
  Expr last = exactly(b, sizes->front()) - 1, one = number(b, 1);
  Expr places = iota(b, sizes->front().bound);
  Expr step = (stop - start) / cast(maximum(last, one), start.elementType());
  Expr points = start + cast(places, start.elementType()) * step;
  // The last is `stop` itself, whatever the sums round to; a single one is not.
  Expr isLast =
      apply<graph::LogicalAndOp>(apply<graph::EqualOp>(places, last),
                                 apply<graph::GreaterEqualOp>(last, one));
  return node.tracedResults(
      {withSizes(select(isLast, stop, points).value, *sizes)});
}

} // namespace

void addBoundedShapeHandlers(BoundedHandlers &handlers) {
  handlers["Reshape"] = {importReshape, {1}};
  handlers["Transpose"] = importTranspose;
  handlers["Fill"] = {importFill, {0}};
  handlers["Empty"] = {importEmpty, {0}};
  handlers["Range"] = {importRange, {0, 1, 2}};
  handlers["LinSpace"] = {importLinSpace, {2}};
}

} // namespace weir::tensorflow
