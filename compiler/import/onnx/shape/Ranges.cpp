// Tensors made of numbers that follow a rule, and masks.

#include "compiler/import/onnx/shape/Ranges.h"

#include "compiler/import/rules/Counts.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace weir::onnx {

FailureOr<SmallVector<Expr>> rangeOperands(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  SmallVector<Expr> limits;
  for (unsigned i = 0; i < 3; ++i) {
    if (failed(wantElements(node, i, Elements::numbers)))
      return failure();
    if (node.type(i).getNumElements() != 1 ||
        node.element(i) != node.element(0))
      return node.error() << "counts from " << node.type(0) << " by "
                          << node.type(i);
    limits.push_back(reshape(operand(node, i), {}));
  }
  return limits;
}

namespace {

/// How many numbers lie from `start` on below `limit`, as f64 or i64.
Expr countOf(Expr start, Expr limit, Expr delta) {
  Type wide = start.b->getF64Type();
  if (isa<IntegerType>(start.elementType()))
    wide = start.b->getI64Type();
  Expr count =
      stepsBetween(cast(start, wide), cast(limit, wide), cast(delta, wide));
  return maximum(count, count.like(0));
}

LogicalResult importRange(Node &node) {
  FailureOr<SmallVector<Expr>> limits = rangeOperands(node);
  if (failed(limits))
    return failure();
  Expr start = (*limits)[0], limit = (*limits)[1], delta = (*limits)[2];
  if (failed(check(node, isFalse(equal(delta, delta.like(0))), "steps by 0")))
    return failure();
  // The folders divide by what is not zero only.
  bool isZero = false;
  if (auto constant = node.tryConstant(2))
    isZero = isa<IntegerType>(delta.elementType()) &&
             constant->getSplatValue<APInt>().isZero();
  if (isZero)
    return node.error() << "steps by 0";
  auto from = knownNumber(start.value), to = knownNumber(limit.value);
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  if (int64_t span;
      from && to && (llvm::SubOverflow(*from, *to, span) || span == least))
    return node.error() << "counts from " << *from << " to " << *to;
  Expr count = countOf(start, limit, delta);
  int64_t size = 0;
  if (auto dense = knownElements(count.value)) {
    if (isa<FloatType>(count.elementType())) {
      double number = dense->getSplatValue<APFloat>().convertToDouble();
      constexpr double most = 1e12;
      if (!(number >= 0 && number < most))
        return node.error() << "has no number of elements";
      size = static_cast<int64_t>(number);
    } else {
      size = dense->getSplatValue<APInt>().getSExtValue();
    }
  } else {
    FailureOr<Integers> promised = promisedShape(node, 0, "its end");
    if (failed(promised))
      return failure();
    if (promised->size() != 1)
      return node.error() << "gives one dimension, and the model says "
                          << promised->size();
    size = promised->front();
    if (failed(check(node, equal(count, count.like(static_cast<double>(size))),
                     "has another number of elements than the model says")))
      return failure();
  }
  if (!byteSize(size, 8))
    return node.error() << "has " << size << " elements";
  Type element = start.elementType();
  Expr wide = widened(start);
  Expr steps = iota(node, size, wide.elementType(), 0);
  return give(node, cast(steps * widened(delta) + wide, element));
}

LogicalResult importEyeLike(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Type element = node.element(0);
  if (node.hasAttr("dtype")) {
    element = node.typeAttr("dtype");
    if (!element)
      return failure();
  }
  if (node.rank(0) != 2)
    return node.error() << "makes no matrix like " << node.type(0);
  ArrayRef<int64_t> shape = node.shape(0);
  Type i64 = node.b.getI64Type();
  Expr row = iota(node, shape, i64, 0), column = iota(node, shape, i64, 1);
  // Beyond the corners there is no diagonal, and sums stay small.
  int64_t k = std::clamp(node.intAttr("k"), -shape[0], shape[1]);
  return give(node, cast(equal(row + number(node, k), column), element));
}

/// Keeps what is on or above the diagonal `k`, or on or below it.
LogicalResult importTrilu(Node &node) {
  if (failed(wantOperands(node, 1, 2)))
    return failure();
  Expr x = operand(node, 0);
  if (x.rank() < 2)
    return node.error() << "has no matrices in " << x.type();
  Expr diagonal = number(node, 0);
  if (node.has(1)) {
    if (node.type(1).getNumElements() != 1)
      return node.error() << "has diagonal " << node.type(1);
    diagonal = cast(reshape(operand(node, 1), {}), node.b.getI64Type());
  }
  Integers shape(x.shape().take_back(2));
  // Beyond the corners all diagonals are alike, and sums stay small.
  diagonal = clamp(diagonal, -static_cast<double>(shape[0]),
                   static_cast<double>(shape[1]));
  Type i64 = node.b.getI64Type();
  Expr row = iota(node, shape, i64, 0), column = iota(node, shape, i64, 1);
  bool upper = node.intAttr("upper", 1) != 0;
  Expr drops =
      upper ? less(column, row + diagonal) : less(row + diagonal, column);
  Expr zero(node.b,
            splat(node.b, RankedTensorType::get({}, x.elementType()), 0));
  return give(node, select(broadcast(drops, x.shape()), zero, x));
}

LogicalResult importOneHot(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  Expr positions = operand(node, 0), values = operand(node, 2);
  if (values.rank() != 1 || values.size(0) != 2 ||
      node.type(1).getNumElements() != 1)
    return node.error() << "has values " << values.type() << " and depth "
                        << node.type(1);
  int64_t rank = positions.rank() + 1;
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis", -1), rank);
  if (failed(axis))
    return failure();
  Type i64 = node.b.getI64Type();
  Expr depth = reshape(cast(operand(node, 1), i64), {});
  int64_t size = 0;
  if (auto known = knownNumber(depth.value)) {
    size = *known;
  } else {
    FailureOr<Integers> promised = promisedShape(node, 0, "its depth");
    if (failed(promised))
      return failure();
    if (static_cast<int64_t>(promised->size()) != rank)
      return node.error() << "gives " << rank << " dimensions, and the model "
                          << "says " << promised->size();
    size = (*promised)[*axis];
    if (failed(check(node, equal(depth, number(node, size)),
                     "has another depth than the model says")))
      return failure();
  }
  if (size < 0 || !byteSize(size, 8))
    return node.error() << "has depth " << size;
  positions = cast(positions, i64);
  positions = select(less(positions, number(node, 0)),
                     positions + number(node, size), positions);
  Expr off = reshape(slice(values, 0, 0, 1), {});
  Expr on = reshape(slice(values, 0, 1, 1), {});
  return node.result(make<graph::OneHotOp>(
      node.b, positions.value, on.value, off.value, static_cast<uint64_t>(size),
      static_cast<uint64_t>(*axis)));
}

} // namespace

void addRangeHandlers(Handlers &handlers) {
  handlers["EyeLike"] = importEyeLike;
  handlers["OneHot"] = importOneHot;
  handlers["Range"] = importRange;
  handlers["Trilu"] = importTrilu;
}

} // namespace weir::onnx
