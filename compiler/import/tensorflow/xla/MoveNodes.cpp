// XLA's ops that move elements, order them, or only say something of a tensor.

#include "compiler/import/tensorflow/xla/MoveNodes.h"

#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/tensorflow/xla/Computation.h"
#include "compiler/import/tensorflow/xla/Xla.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Linear.h"
#include "dialects/graph/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::tensorflow {

Expr padWith(Expr x, Expr value, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
             ArrayRef<int64_t> interior) {
  if (!x || !value || value.rank() != 0 ||
      value.elementType() != x.elementType())
    return {};
  Integers before, after, starts, limits, sizes;
  for (int64_t i = 0; i < x.rank(); ++i) {
    int64_t size, gaps;
    before.push_back(std::max<int64_t>(low[i], 0));
    after.push_back(std::max<int64_t>(high[i], 0));
    starts.push_back(before.back() - low[i]);
    if (interior[i] < 0 ||
        llvm::MulOverflow(std::max<int64_t>(x.size(i) - 1, 0), interior[i],
                          gaps) ||
        llvm::AddOverflow(x.size(i), gaps, size) ||
        llvm::AddOverflow(size, before.back(), size) ||
        llvm::AddOverflow(size, after.back(), size))
      return {};
    limits.push_back(size - (after.back() - high[i]));
    sizes.push_back(size);
    if (starts.back() > limits.back())
      return {};
  }
  if (!graph::countElements(sizes))
    return {};
  if (ArrayRef<int64_t>(sizes) != x.shape())
    x = Expr(*x.b, make<graph::PadOp>(*x.b, x.value, value.value, before, after,
                                      interior));
  return box(x, starts, limits);
}

namespace {

LogicalResult importPad(Node &node) {
  if (failed(wantOperands(node, 5)))
    return failure();
  auto low = node.integers(2), high = node.integers(3),
       interior = node.integers(4);
  if (failed(low) || failed(high) || failed(interior))
    return failure();
  Expr x = operand(node, 0);
  auto rank = static_cast<size_t>(x.rank());
  if (low->size() != rank || high->size() != rank || interior->size() != rank)
    return node.error() << "does not say each of " << rank << " dimensions";
  constexpr int64_t most = int64_t(1) << 40;
  for (const Integers &margins : {*low, *high, *interior})
    for (int64_t margin : margins)
      if (std::abs(margin) > most)
        return node.error() << "pads by " << margin;
  return give(node, padWith(x, operand(node, 1), *low, *high, *interior));
}

LogicalResult importDynamicSlice(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr x = operand(node, 0);
  auto starts = listedScalars(node, 1);
  auto sizes = node.integers(2);
  if (failed(starts) || failed(sizes))
    return failure();
  if (starts->size() != static_cast<size_t>(x.rank()) ||
      sizes->size() != starts->size())
    return node.error() << "does not say each of " << x.rank() << " dimensions";
  for (auto [size, whole] : llvm::zip(*sizes, x.shape()))
    if (size < 0 || size > whole)
      return node.error() << "takes " << size << " of " << whole << " elements";
  return node.result(
      make<graph::DynamicSliceOp>(node.b, x.value, *starts, *sizes));
}

LogicalResult importDynamicUpdate(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr x = operand(node, 0), update = operand(node, 1);
  auto starts = listedScalars(node, 2);
  if (failed(starts))
    return failure();
  bool fits = update.rank() == x.rank() &&
              update.elementType() == x.elementType() &&
              starts->size() == static_cast<size_t>(x.rank());
  for (int64_t i = 0; fits && i < x.rank(); ++i)
    fits = update.size(i) <= x.size(i);
  if (!fits)
    return node.error() << "cannot put " << update.type() << " into "
                        << x.type();
  return node.result(make<graph::DynamicUpdateSliceOp>(node.b, x.value,
                                                       update.value, *starts));
}

/// Both of one rank: the dimensions of the smaller are some of the larger's,
/// and it is of size 1 along the others.
LogicalResult importBroadcastHelper(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto dims = node.integers(2);
  if (failed(dims))
    return failure();
  Expr x = operand(node, 0), y = operand(node, 1);
  if (dims->empty()) {
    if (x.rank() != y.rank() && x.rank() != 0 && y.rank() != 0)
      return node.error() << "does not say which dimensions of " << x.type()
                          << " and " << y.type() << " are the same";
    return give(node, {x, y});
  }
  bool isFirst = x.rank() < y.rank();
  Expr &small = isFirst ? x : y;
  const Expr &large = isFirst ? y : x;
  if (dims->size() != static_cast<size_t>(small.rank()) ||
      !areDims(*dims, large.rank()) || !llvm::is_sorted(*dims))
    return node.error() << "dimensions [" << *dims << "] of " << large.type()
                        << " are not those of " << small.type();
  Integers shape(large.rank(), 1);
  for (auto [dim, size] : llvm::zip(*dims, small.shape())) {
    if (size != large.size(dim) && size != 1)
      return node.error() << "cannot broadcast " << small.type() << " to "
                          << large.type();
    shape[dim] = size;
  }
  small = reshape(small, shape);
  return give(node, {x, y});
}

/// Operands, each of one shape, ordered along `dim` by operand `key`.
LogicalResult giveSorted(Node &node, ArrayRef<Expr> operands, int64_t dim,
                         size_t key, bool descending) {
  Integers order;
  for (int64_t i = 0; i < operands[0].rank(); ++i)
    if (i != dim)
      order.push_back(i);
  order.push_back(dim);
  Integers back(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = static_cast<int64_t>(to);
  SmallVector<Value> values;
  for (Expr x : operands)
    values.push_back(transpose(x, order).value);
  std::swap(values[0], values[key]);
  auto sort = node.b.create<graph::SortOp>(values, descending);
  SmallVector<Expr> results;
  for (Value value : sort.getOutputs())
    results.push_back(transpose(Expr(node.b, value), back));
  std::swap(results[0], results[key]);
  return give(node, results);
}

/// XlaSort of one, XlaKeyValueSort of two, along the last dimension.
LogicalResult importSort(Node &node) {
  SmallVector<Expr> operands;
  unsigned count = node.op() == "XlaSort" ? 1 : 2;
  if (failed(wantOperands(node, count)))
    return failure();
  for (unsigned i = 0; i < count; ++i) {
    operands.push_back(operand(node, i));
    if (operands[i].rank() < 1 || operands[i].shape() != operands[0].shape())
      return node.error() << "cannot sort " << operands[i].type();
  }
  return giveSorted(node, operands, operands[0].rank() - 1, 0, false);
}

LogicalResult importVariadicSort(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  unsigned count = node.size() - 1;
  SmallVector<Expr> operands;
  for (unsigned i = 0; i < count; ++i) {
    operands.push_back(operand(node, i));
    if (operands[i].shape() != operands[0].shape())
      return node.error() << "cannot sort " << operands[i].type() << " with "
                          << operands[0].type();
  }
  auto dim = node.axisAt(count, operands[0].rank());
  auto comparator = Computation::of(node, "comparator");
  if (failed(dim) || failed(comparator))
    return failure();
  auto form = comparator->form();
  bool isLess = form && form->op == "Less";
  if (!form || !(isLess || form->op == "Greater") ||
      form->arguments.size() != 2 ||
      form->arguments[0] / 2 != form->arguments[1] / 2 ||
      form->arguments[0] == form->arguments[1] ||
      form->arguments[0] / 2 >= count)
    return node.unsupported(
        "a comparator other than Less or Greater of one operand's elements");
  bool isTurned = form->arguments[0] % 2;
  return giveSorted(node, operands, *dim, form->arguments[0] / 2,
                    isLess == isTurned);
}

LogicalResult importSame(Node &node) {
  if (node.size() == 0)
    return node.error() << "has no operand";
  return node.tracedResults({node.traced(0)});
}

LogicalResult importAll(Node &node) {
  SmallVector<Traced> values;
  for (unsigned i = 0; i < node.size(); ++i)
    values.push_back(node.traced(i));
  return node.tracedResults(std::move(values));
}

/// The size of a dimension, as an operand says.
LogicalResult importSetSize(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto dim = node.axisAt(1, node.rank(0));
  auto size = listedScalars(node, 2);
  if (failed(dim) || failed(size))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  if (size->size() != 1)
    return node.error() << "has no size but " << node.type(2);
  auto exact = sizeFrom(node, size->front(), sizes[*dim].bound);
  if (failed(exact))
    return failure();
  exact->bound = sizes[*dim].bound;
  // One that is known leaves what lies beyond it, which may be asked for again.
  if (!exact->exact)
    exact->exact = castTo(node.b, size->front(), node.b.getI64Type());
  sizes[*dim] = *exact;
  return node.tracedResults({withSizes(node.operand(0), sizes)});
}

/// All that there is place for, whatever it holds.
LogicalResult importRemoveSize(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto dim = node.axisAt(1, node.rank(0));
  if (failed(dim))
    return failure();
  Sizes sizes = sizesOf(node.traced(0));
  sizes[*dim].exact = {};
  return node.tracedResults({withSizes(node.operand(0), sizes)});
}

/// A library is the only replica.
LogicalResult importReplica(Node &node) {
  return node.result(
      splat(node.b, RankedTensorType::get({}, node.b.getI32Type()), 0));
}

/// Singular values and all vectors of both sides.
LogicalResult importSvd(Node &node) {
  Expr x = operand(node, 0);
  if (!x || x.rank() < 2 || !isa<FloatType>(x.elementType()))
    return give(node, Expr());
  Type type = x.elementType();
  if (!type.isF64())
    x = cast(x, node.b.getF32Type());
  auto op = node.b.create<graph::SvdOp>(x.value, /*full=*/true);
  return give(node, {cast(Expr(node.b, op.getS()), type),
                     cast(Expr(node.b, op.getU()), type),
                     cast(Expr(node.b, op.getV()), type)});
}

} // namespace

void addXlaMoveHandlers(Handlers &handlers) {
  handlers["XlaPad"] = importPad;
  handlers["XlaDynamicSlice"] = importDynamicSlice;
  handlers["XlaDynamicUpdateSlice"] = importDynamicUpdate;
  handlers["XlaBroadcastHelper"] = importBroadcastHelper;
  handlers["XlaSort"] = importSort;
  handlers["XlaKeyValueSort"] = importSort;
  handlers["XlaVariadicSort"] = importVariadicSort;
  handlers["XlaSvd"] = importSvd;
  handlers["XlaReplicaId"] = importReplica;
  for (const char *name : {"XlaSharding", "XlaSetBound"})
    handlers[name] = {importSame, Takes::whole};
  handlers["XlaOptimizationBarrier"] = {importAll, Takes::whole};
  handlers["XlaSetDynamicDimensionSize"] = {importSetSize, Takes::dynamic};
  handlers["XlaRemoveDynamicDimensionSize"] = {importRemoveSize,
                                               Takes::dynamic};
}

void addXlaHandlers(Handlers &handlers) {
  addXlaMoveHandlers(handlers);
  addXlaPositionHandlers(handlers);
  addXlaProductHandlers(handlers);
  addXlaReduceHandlers(handlers);
}

} // namespace weir::tensorflow
