// Nodes that take elements from, or put them to, places that operands name.

#include "compiler/import/onnx/shape/Gathers.h"

#include "compiler/import/rules/Gathers.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::onnx {

FailureOr<Expr> positionsOf(Node &node, unsigned i, ArrayRef<int64_t> sizes) {
  Expr positions = operand(node, i);
  Type element = positions.elementType();
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return node.error() << "has places " << positions.type();
  Expr end = list(node, sizes);
  if (sizes.size() == 1)
    end = reshape(end, {});
  end = cast(end, element);
  if (positions.type().getNumElements() == 0)
    return positions;
  if (failed(check(node, inRange(positions, -end, end),
                   "names a place outside of its operand")))
    return failure();
  return select(less(positions, positions.like(0)), positions + end, positions);
}

Expr vectorsAlong(Node &node, Expr along, int64_t axis) {
  Integers column(along.shape());
  column.push_back(1);
  SmallVector<Expr> parts;
  for (int64_t d = 0; d < along.rank(); ++d)
    parts.push_back(reshape(
        d == axis ? along : iota(node, along.shape(), along.elementType(), d),
        column));
  return concat(parts, along.rank());
}

FailureOr<graph::Combiner> combinerOf(Node &node) {
  StringRef reduction = node.stringAttr("reduction", "none");
  if (reduction == "none")
    return graph::Combiner::update;
  if (reduction == "add")
    return graph::Combiner::add;
  if (reduction == "mul")
    return graph::Combiner::mul;
  if (reduction == "max")
    return graph::Combiner::max;
  if (reduction == "min")
    return graph::Combiner::min;
  return node.error() << "has reduction '" << escaped(reduction, 20)
                      << "', which is none of none, add, mul, max and min";
}

namespace {

LogicalResult importGather(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), x.rank());
  if (failed(axis))
    return failure();
  FailureOr<Expr> positions = positionsOf(node, 1, x.size(*axis));
  if (failed(positions))
    return failure();
  return node.result(make<graph::GatherOp>(node.b, x.value, positions->value,
                                           static_cast<uint64_t>(*axis),
                                           uint64_t(0)));
}

/// Whether each dimension but `axis` is no larger than that of `of`.
bool fitsInside(ArrayRef<int64_t> shape, ArrayRef<int64_t> of, int64_t axis) {
  if (shape.size() != of.size())
    return false;
  for (int64_t d = 0; d < static_cast<int64_t>(of.size()); ++d)
    if (d != axis && shape[d] > of[d])
      return false;
  return true;
}

/// Where in a tensor of `shape` the elements are that `along`, places along
/// `axis`, names, as that tensor's elements lie in one row.
Expr positionsInRow(Node &node, Expr along, int64_t axis,
                    ArrayRef<int64_t> shape) {
  Type i64 = node.b.getI64Type();
  Expr position;
  int64_t step = 1;
  for (int64_t d = along.rank(); d-- > 0;) {
    Expr own = d == axis ? cast(along, i64) : iota(node, along.shape(), i64, d);
    own = own * number(node, step);
    position = position ? position + own : own;
    step *= shape[d];
  }
  return position;
}

LogicalResult importGatherElements(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  Expr x = operand(node, 0);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), x.rank());
  if (failed(axis))
    return failure();
  if (!fitsInside(node.shape(1), x.shape(), *axis))
    return node.error() << "takes " << node.type(1) << " from " << x.type();
  FailureOr<Expr> positions = positionsOf(node, 1, x.size(*axis));
  if (failed(positions))
    return failure();
  Expr row = reshape(x, x.type().getNumElements());
  Expr at = positionsInRow(node, *positions, *axis, x.shape());
  return node.result(make<graph::GatherOp>(node.b, row.value, at.value,
                                           uint64_t(0), uint64_t(0)));
}

/// The sizes that the vectors of operand 1 index; an error where they are no
/// such.
FailureOr<Integers> indexedSizes(Node &node, int64_t batchDims) {
  ArrayRef<int64_t> x = node.shape(0), positions = node.shape(1);
  int64_t rank = node.rank(0), count = positions.empty() ? 0 : positions.back();
  bool fits = batchDims >= 0 && batchDims < node.rank(1) && batchDims <= rank &&
              count <= rank - batchDims;
  if (!fits || x.take_front(batchDims) != positions.take_front(batchDims))
    return node.error() << "has vectors of places in " << node.type(1)
                        << " for " << node.type(0);
  return Integers(x.slice(batchDims, count));
}

LogicalResult importGatherNd(Node &node) {
  if (failed(wantOperands(node, 2, 2)))
    return failure();
  int64_t batchDims = node.intAttr("batch_dims");
  FailureOr<Integers> sizes = indexedSizes(node, batchDims);
  if (failed(sizes))
    return failure();
  FailureOr<Expr> positions = positionsOf(node, 1, *sizes);
  if (failed(positions))
    return failure();
  return give(node, gatherNd(operand(node, 0), *positions, batchDims));
}

LogicalResult giveScattered(Node &node, Expr positions, Expr updates) {
  FailureOr<graph::Combiner> combiner = combinerOf(node);
  if (failed(combiner))
    return failure();
  Expr x = operand(node, 0);
  if (updates.elementType() != x.elementType())
    return node.error() << "puts " << updates.type() << " into " << x.type();
  if (updates.type().getNumElements() == 0)
    return give(node, x);
  return node.result(make<graph::ScatterOp>(node.b, x.value, positions.value,
                                            updates.value, *combiner));
}

LogicalResult importScatterElements(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  Expr x = operand(node, 0), updates = operand(node, 2);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis"), x.rank());
  if (failed(axis))
    return failure();
  if (!fitsInside(node.shape(1), x.shape(), *axis) ||
      updates.shape() != node.shape(1))
    return node.error() << "puts " << updates.type() << " at " << node.type(1)
                        << " of " << x.type();
  FailureOr<Expr> positions = positionsOf(node, 1, x.size(*axis));
  if (failed(positions))
    return failure();
  return giveScattered(node, vectorsAlong(node, *positions, *axis), updates);
}

LogicalResult importScatterNd(Node &node) {
  if (failed(wantOperands(node, 3, 3)))
    return failure();
  FailureOr<Integers> sizes = indexedSizes(node, 0);
  if (failed(sizes))
    return failure();
  Integers shape(node.shape(1).drop_back());
  llvm::append_range(shape, node.shape(0).drop_front(sizes->size()));
  if (node.shape(2) != ArrayRef(shape))
    return node.error() << "puts " << node.type(2) << " at " << node.type(1)
                        << " of " << node.type(0);
  FailureOr<Expr> positions = positionsOf(node, 1, *sizes);
  if (failed(positions))
    return failure();
  return giveScattered(node, *positions, operand(node, 2));
}

/// Writes each batch's update into its cache from the place on that operand 2
/// names, or from the first; in a circle where that is the mode.
LogicalResult importTensorScatter(Node &node) {
  if (failed(wantOperands(node, 2, 3)))
    return failure();
  Expr cache = operand(node, 0), update = operand(node, 1);
  FailureOr<int64_t> axis = node.axis(node.intAttr("axis", -2), cache.rank());
  if (failed(axis))
    return failure();
  StringRef mode = node.stringAttr("mode", "linear");
  bool fits = *axis > 0 && fitsInside(update.shape(), cache.shape(), *axis) &&
              update.size(*axis) <= cache.size(*axis) &&
              update.elementType() == cache.elementType();
  for (int64_t d = 0; fits && d < cache.rank(); ++d)
    fits = d == *axis || update.size(d) == cache.size(d);
  if (!fits || (mode != "linear" && mode != "circular"))
    return node.error() << "writes " << update.type() << " into "
                        << cache.type() << " along dimension " << *axis
                        << " in mode '" << escaped(mode, 20) << "'";
  Type i64 = node.b.getI64Type();
  Expr at = iota(node, update.shape(), i64, *axis);
  if (node.has(2)) {
    Expr first = cast(operand(node, 2), i64);
    if (first.rank() != 1 || first.size(0) != cache.size(0))
      return node.error() << "has places " << first.type() << " for "
                          << cache.type();
    Integers column(cache.rank(), 1);
    column[0] = cache.size(0);
    at = at + reshape(first, column);
  }
  Expr size = number(node, cache.size(*axis));
  if (mode == "circular")
    at = apply<graph::FloorModOp>(at, size);
  else if (failed(check(node, inRange(at, at.like(0), size),
                        "writes outside of its cache")))
    return failure();
  return node.result(make<graph::ScatterOp>(
      node.b, cache.value, vectorsAlong(node, at, *axis).value, update.value,
      graph::Combiner::update));
}

} // namespace

void addGatherHandlers(Handlers &handlers) {
  handlers["Gather"] = importGather;
  handlers["GatherElements"] = importGatherElements;
  handlers["GatherND"] = importGatherNd;
  handlers["Scatter"] = importScatterElements;
  handlers["ScatterElements"] = importScatterElements;
  handlers["ScatterND"] = importScatterNd;
  handlers["TensorScatter"] = importTensorScatter;
}

} // namespace weir::onnx
