// Ragged tensors: values row after row, and beside them where the rows of each
// level begin.

#include "compiler/import/tensorflow/sparse/Sparse.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// For each item of a level the row that it is in, and its place there.
struct Level {
  Expr row, position;
  /// How many rows there are, and the greatest number of items in one.
  int64_t rows;
  Expr longest;
};

Expr search(Expr sorted, Expr values, bool right) {
  Expr found(*sorted.b, make<graph::SearchSortedOp>(*sorted.b, sorted.value,
                                                    values.value, right));
  return cast(found, sorted.b->getI64Type());
}

/// Items by where their rows begin, the last of which is their number.
Level bySplits(ImplicitLocOpBuilder &b, Expr splits, int64_t items) {
  splits = cast(splits, b.getI64Type());
  Level level;
  level.rows = splits.size(0) - 1;
  Expr item = iota(b, items);
  level.row = search(splits, item, /*right=*/true) - 1;
  level.position = item - gather(splits, level.row, 0);
  Expr lengths =
      slice(splits, 0, 1, level.rows) - slice(splits, 0, 0, level.rows);
  level.longest = level.rows
                      ? Expr(b, make<graph::ReduceMaxOp>(b, lengths.value,
                                                         ArrayRef<int64_t>{0}))
                      : number(b, 0);
  // Items behind the last row, which a bound has room for, are nowhere.
  Expr isThere = apply<graph::LessOp>(item, slice(splits, 0, level.rows, 1));
  level.row = select(isThere, level.row, number(b, -1));
  return level;
}

/// Items by the row of each, ascending; those beyond `size` are nowhere.
Level byRows(ImplicitLocOpBuilder &b, Expr row, Size size, int64_t rows) {
  int64_t items = row.size(0);
  row = cast(row, b.getI64Type());
  Expr isThere = within(b, size);
  Expr sorted = select(isThere, row, number(b, rows));
  Level level;
  level.rows = rows;
  level.position = iota(b, items) - search(sorted, sorted, /*right=*/false);
  level.row = select(isThere, row, number(b, -1));
  Expr longest = select(isThere, level.position + 1, number(b, 0));
  level.longest = items ? Expr(b, make<graph::ReduceMaxOp>(
                                      b, longest.value, ArrayRef<int64_t>{0}))
                        : number(b, 0);
  return level;
}

/// The levels from the outermost on, from operands 3 on.
FailureOr<SmallVector<Level>> levelsOf(Node &node) {
  const auto *types = node.listAttr("row_partition_types", "strings");
  if (!types || types->s_size() == 0)
    return node.missing("row_partition_types");
  if (node.size() != 3 + static_cast<unsigned>(types->s_size()))
    return node.error() << "has " << node.size() << " operands for "
                        << types->s_size() << " partitions";
  ImplicitLocOpBuilder &b = node.b;
  bool counted = types->s(0) == "FIRST_DIM_SIZE";
  SmallVector<Level> levels;
  int last = types->s_size() - 1;
  int64_t rows = -1;
  if (counted) {
    auto count = node.integer(3);
    if (failed(count))
      return failure();
    rows = *count;
  }
  for (int i = counted; i <= last; ++i) {
    Expr partition = operand(node, 3 + i);
    StringRef type = types->s(i);
    if (partition.rank() != 1 || !isIndexType(partition.elementType()))
      return node.error() << "has no partition but " << partition.type();
    // The items of a level are the rows of the next.
    bool isLast = i == last;
    int64_t items = node.shape(1).empty() ? 0 : node.shape(1)[0];
    Size size = sizesOf(node.traced(3 + i))[0];
    if (type == "ROW_SPLITS") {
      if (!size.isKnown() || partition.size(0) < 1) {
        (void)node.unsupported("rows of a number known only at run time");
        return failure();
      }
      if (!isLast) {
        // Of the next level, whose rows these are.
        Expr next = operand(node, 4 + i);
        items = types->s(i + 1) == "ROW_SPLITS" ? next.size(0) - 1 : -1;
        if (items < 0)
          return node.error() << "mixes kinds of partitions";
      }
      levels.push_back(bySplits(b, partition, items));
      if (rows >= 0 && levels.back().rows != rows)
        return node.error()
               << "has " << levels.back().rows << " rows for " << rows;
      rows = items;
    } else if (type == "VALUE_ROWIDS" && rows >= 0) {
      levels.push_back(byRows(b, partition, size, rows));
      rows = partition.size(0);
    } else {
      (void)node.unsupported("partition '" + type + "'");
      return failure();
    }
  }
  return levels;
}

/// Operands: the shape, in which -1 stands for what is enough, values, the
/// default and the partitions.
LogicalResult importToTensor(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto levels = levelsOf(node);
  auto wanted = node.integers(0);
  if (failed(levels) || failed(wanted))
    return failure();
  Expr values = operand(node, 1), fill = operand(node, 2);
  if (values.rank() < 1 || levels->empty() ||
      fill.elementType() != values.elementType() ||
      levels->back().row.size(0) != values.size(0))
    return node.error() << "cannot place " << values.type();
  size_t ragged = levels->size();
  Integers inner(values.shape().drop_front());
  size_t rank = ragged + 1 + inner.size();
  // A scalar -1 says nothing at all.
  if (node.rank(0) == 0)
    wanted->assign(rank, -1);
  if (wanted->size() != rank)
    return node.error() << "has a shape of " << wanted->size()
                        << " dimensions for " << rank;
  Sizes sizes;
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = (*wanted)[i];
    if (i > ragged && size >= 0 && size != inner[i - ragged - 1])
      return node.error() << "makes rows of [" << inner << "] into " << size;
    if (size < -1)
      return node.error() << "has no sizes but [" << *wanted << "]";
    if (i > ragged)
      sizes.push_back({inner[i - ragged - 1], {}});
    else if (size >= 0)
      sizes.push_back({size, {}});
    else if (i == 0)
      sizes.push_back({levels->front().rows, {}});
    else if (auto known = knownNumber((*levels)[i - 1].longest.value))
      sizes.push_back({*known, {}});
    else
      sizes.push_back(
          {(*levels)[i - 1].row.size(0), (*levels)[i - 1].longest.value});
  }
  Integers bounds = boundsOf(sizes);
  if (failed(countOrError(node, bounds)))
    return failure();
  int64_t count = values.size(0);
  // From the values up: each one's place in its row, and so on for the row.
  Expr item = iota(b, count), isThere = within(b, sizesOf(node.traced(1))[0]);
  SmallVector<Expr> columns(ragged + 1);
  for (size_t i = ragged; i-- > 0;) {
    const Level &level = (*levels)[i];
    columns[i + 1] = reshape(gather(level.position, item, 0), {count, 1});
    item = gather(level.row, item, 0);
    isThere = apply<graph::LogicalAndOp>(
        isThere, apply<graph::GreaterEqualOp>(item, number(b, 0)));
    item = maximum(item, number(b, 0));
  }
  columns[0] = reshape(select(isThere, item, number(b, -1)), {count, 1});
  Expr position = broadcast(fill, bounds);
  if (!position)
    return node.error() << "cannot fill rows of [" << inner << "] with "
                        << fill.type();
  if (position.type().getNumElements() && count)
    position = scatter(position, concat(columns, 1), values);
  if (!position)
    return give(node, position);
  return node.tracedResults({withSizes(position.value, sizes)});
}

} // namespace

void addRaggedHandlers(Handlers &handlers) {
  handlers["RaggedTensorToTensor"] = {importToTensor, Takes::dynamic};
}

} // namespace weir::tensorflow
