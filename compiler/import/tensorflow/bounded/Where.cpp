// Ops that choose rows by values: Where, and partitions and their inverse.

#include "compiler/import/tensorflow/bounded/Where.h"

#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Coordinates.h"
#include "compiler/import/rules/Gathers.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

LogicalResult importWhere(Node &node) {
  return failed(wantOperands(node, 1))
             ? failure()
             : giveCoordinates(node, Vectors::ofElements);
}

/// One part's rows after another are found in the whole tensor.
constexpr int64_t maxParts = 256;

LogicalResult importDynamicPartition(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Traced data = node.traced(0), parts = node.traced(1);
  int64_t rank = node.rank(1), count = node.intAttr("num_partitions");
  Type type = node.type(1).getElementType();
  if (rank > node.rank(0) || count < 1 || !type.isSignlessInteger(32))
    return node.error() << "cannot part " << node.type(0) << " by "
                        << node.type(1) << " into " << count;
  if (count > maxParts)
    return node.unsupported("more than " + Twine(maxParts) + " partitions");
  if (failed(shareSizes(node, data, parts, rank)))
    return failure();
  Expr real = inside(b, sizesOf(parts), rank), part(b, parts.value);
  if (failed(checkIndices(node, 1, select(real, part, part.like(0)), count)))
    return failure();
  Expr rows = joinRows(b, data, rank);
  int64_t all = rows.size(0);
  real = reshape(real, {all});
  part = reshape(part, {all});
  SmallVector<Traced> results;
  for (int64_t i = 0; i < count; ++i) {
    Expr own = apply<graph::EqualOp>(part, part.like(static_cast<double>(i)));
    Choice chosen = choose(b, apply<graph::LogicalAndOp>(real, own));
    Sizes sizes{chosen.count};
    llvm::append_range(sizes, ArrayRef(sizesOf(data)).drop_front(rank));
    Expr taken = gather(rows, chosen.positions, 0);
    if (!taken)
      return give(node, taken);
    results.push_back(withSizes(taken.value, sizes));
  }
  return node.tracedResults(std::move(results));
}

} // namespace

LogicalResult importBoundedDynamicStitch(Node &node) {
  unsigned count = node.size() / 2;
  if (count == 0 || node.size() % 2)
    return node.error() << "has " << node.size() << " operands";
  ImplicitLocOpBuilder &b = node.b;
  SmallVector<Expr> positions, rows;
  Sizes slice;
  Expr size = number(b, 0);
  for (unsigned i = 0; i < count; ++i) {
    Traced indices = node.traced(i), data = node.traced(count + i);
    int64_t rank = node.rank(i);
    if (rank > node.rank(count + i) ||
        !node.type(i).getElementType().isSignlessInteger(32))
      return node.error() << "indices " << node.type(i) << " do not suit "
                          << node.type(count + i);
    if (failed(shareSizes(node, indices, data, rank)))
      return failure();
    Sizes own(ArrayRef(sizesOf(data)).drop_front(rank));
    if (i == 0)
      slice = own;
    if (slice != own)
      return node.unsupported("slices of different sizes");
    Expr position = cast(Expr(b, indices.value), b.getI64Type());
    position =
        select(inside(b, sizesOf(indices), rank), position, number(b, -1));
    int64_t elements = position.type().getNumElements();
    positions.push_back(reshape(position, {elements}));
    rows.push_back(joinRows(b, data, rank));
    if (elements)
      size = maximum(size,
                     Expr(b, make<graph::ReduceMaxOp>(b, positions.back().value,
                                                      ArrayRef<int64_t>{0})) +
                         1);
    Expr valid = apply<graph::GreaterEqualOp>(
        select(inside(b, sizesOf(indices), rank), position, number(b, 0)),
        number(b, 0));
    require(node, valid, "an index is negative");
  }
  Expr position = concat(positions, 0), updates = concat(rows, 0);
  if (!position || !updates)
    return give(node, Expr());
  // Rows that no index names hold anything in TensorFlow; here there are none.
  Expr all = number(b, position.size(0));
  require(node, apply<graph::LessEqualOp>(size, all),
          "an index is above the number of all indices");
  auto rowCount = sizeFrom(node, minimum(size, all).value, position.size(0));
  if (failed(rowCount))
    return failure();
  slice.insert(slice.begin(), *rowCount);
  Expr zeros = filled(node, boundsOf(slice), updates.elementType(), 0);
  return node.tracedResults(
      {withSizes(scatterRows(zeros, position, updates).value, slice)});
}

void addBoundedWhereHandlers(BoundedHandlers &handlers) {
  handlers["Where"] = {importWhere, {0}};
  handlers["DynamicPartition"] = {importDynamicPartition, {1}};
  for (StringRef op : {"DynamicStitch", "ParallelDynamicStitch"})
    handlers[op] = importBoundedDynamicStitch;
}

} // namespace weir::tensorflow
