// Reductions of rows by segments, of which only the run knows how many there
// are or which rows belong to them; and counts of values.

#include "compiler/import/tensorflow/shape/Segments.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// Rows that are combined into segments.
struct Rows {
  Traced data, ids;
  /// The segment of each row; -1 of rows beyond the sizes.
  Expr known;
  /// The sizes of a row.
  Sizes slice;
};

FailureOr<Rows> rowsOf(Node &node, Traced data, Traced ids) {
  ImplicitLocOpBuilder &b = node.b;
  size_t rank = typeOf(ids.value).getRank();
  if (rank > sizesOf(data).size() ||
      !isIndexType(typeOf(ids.value).getElementType()))
    return node.error() << "cannot combine " << data.value.getType() << " by "
                        << ids.value.getType();
  if (failed(shareSizes(node, data, ids, rank)))
    return failure();
  Expr all(b, ids.value);
  Rows rows{data, ids, select(inside(b, sizesOf(ids), rank), all, all.like(-1)),
            Sizes(ArrayRef(sizesOf(data)).drop_front(rank))};
  return rows;
}

/// As many segments as a scalar says.
FailureOr<Sizes> segmentSizes(Node &node, Value count, const Rows &rows) {
  SmallVector<Value> scalars{count};
  SmallVector<int64_t> caps{std::numeric_limits<int64_t>::max()};
  for (const Size &size : rows.slice) {
    scalars.push_back(exactly(node.b, size).value);
    caps.push_back(size.bound);
  }
  return sizesFrom(node, scalars, caps);
}

/// Segments that the second operand names, in any order; as many as the third
/// says.
LogicalResult importUnsortedSegment(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto rows = rowsOf(node, node.traced(0), node.traced(1));
  auto count = listedScalars(node, 2);
  if (failed(rows) || failed(count))
    return failure();
  if (count->size() != 1)
    return node.error() << "has no number of segments but " << node.type(2);
  auto sizes = segmentSizes(node, count->front(), *rows);
  if (failed(sizes))
    return failure();
  Expr ids = cast(rows->known, b.getI64Type());
  require(node, apply<graph::LessOp>(ids, exactly(b, sizes->front())),
          "a segment is above their number");
  Expr data(b, paddedTo(b, rows->data.value, [&] {
              auto bounds = llvm::to_vector(rows->known.shape());
              llvm::append_range(bounds,
                                 ArrayRef(boundsOf(*sizes)).drop_front());
              return bounds;
            }()));
  auto result = combineSegments(node, data, rows->known, sizes->front().bound);
  if (failed(result))
    return failure();
  return node.tracedResults({withSizes(result->value, *sizes)});
}

/// Segments of sorted rows, at least `least`. One without rows has 0 but for a
/// product; a mean, or a sum over a square root, is divided.
LogicalResult sortedSegments(Node &node, Traced data, Traced ids, Expr least) {
  ImplicitLocOpBuilder &b = node.b;
  auto rows = rowsOf(node, data, ids);
  if (failed(rows))
    return failure();
  if (rows->known.rank() != 1)
    return node.error() << "segments are " << rows->known.type();
  Expr known = cast(rows->known, b.getI64Type());
  int64_t total = known.size(0);
  Expr count = least;
  if (total > 0) {
    Expr last(b,
              make<graph::ReduceMaxOp>(b, known.value, ArrayRef<int64_t>{0}));
    count = maximum(count, last + 1);
    // The first is not negative, and none is below the one before it.
    Expr before = pad(slice(known, 0, 0, total - 1), {1}, {0});
    Expr isRow = within(b, sizesOf(rows->ids).front());
    require(
        node,
        apply<graph::LogicalOrOp>(apply<graph::GreaterEqualOp>(known, before),
                                  apply<graph::LogicalNotOp>(isRow)),
        "the segments are not in order");
  }
  auto sizes = segmentSizes(node, count.value, *rows);
  if (failed(sizes))
    return failure();
  int64_t segments = sizes->front().bound;
  Expr x(b, rows->data.value);
  SmallVector<int64_t> bounds{total};
  llvm::append_range(bounds, ArrayRef(boundsOf(*sizes)).drop_front());
  x.value = paddedTo(b, x.value, bounds);
  auto combined = combineSegments(node, x, rows->known, segments);
  if (failed(combined))
    return failure();
  Expr result = *combined;
  StringRef op = node.op();
  bool isMean = op.contains("Mean"), isRoot = op.contains("SqrtN");
  bool isExtreme = op.contains("Min") || op.contains("Max");
  if (isMean || isRoot || isExtreme) {
    Expr counts =
        scatterRows(filled(node, {segments}, b.getI64Type(), 0), known,
                    broadcast(number(b, 1), {total}), graph::Combiner::add);
    SmallVector<int64_t> column(result.rank(), 1);
    column[0] = segments;
    counts = reshape(counts, column);
    if (isExtreme) {
      result = select(apply<graph::GreaterOp>(counts, counts.like(0)), result,
                      result.like(0));
    } else {
      Expr divisor =
          cast(maximum(counts, counts.like(1)), result.elementType());
      result = result / (isRoot ? apply<graph::SqrtOp>(divisor) : divisor);
    }
  }
  if (!result)
    return give(node, result);
  return node.tracedResults({withSizes(result.value, *sizes)});
}

LogicalResult importSegment(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  return sortedSegments(node, node.traced(0), node.traced(1),
                        number(node.b, 0));
}

/// Rows of the data by index, then by segment.
LogicalResult importSparseSegment(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr least = number(b, 0);
  if (node.size() > 3) {
    auto count = listedScalars(node, 3);
    if (failed(count))
      return failure();
    if (count->size() != 1)
      return node.error() << "has no number of segments but " << node.type(3);
    least = maximum(least, Expr(b, count->front()));
  }
  Sizes data = sizesOf(node.traced(0)), chosen = sizesOf(node.traced(1));
  Expr indices = operand(node, 1);
  if (data.empty() || chosen.size() != 1 ||
      !isa<IntegerType>(indices.elementType()))
    return node.error() << "cannot choose rows of " << node.type(0) << " by "
                        << node.type(1);
  indices = cast(indices, b.getI64Type());
  Expr valid = apply<graph::LogicalAndOp>(
      apply<graph::GreaterEqualOp>(indices, number(b, 0)),
      apply<graph::LessOp>(indices, exactly(b, data.front())));
  require(node,
          apply<graph::LogicalOrOp>(
              valid, apply<graph::LogicalNotOp>(within(b, chosen.front()))),
          "an index names no row");
  Expr rows = gather(operand(node, 0), indices, 0);
  if (!rows)
    return give(node, rows);
  data.front() = chosen.front();
  return sortedSegments(node, withSizes(rows.value, data), node.traced(2),
                        least);
}

/// How often each of 0 .. size-1 is met, or the sum of the weights there.
LogicalResult importBincount(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto count = listedScalars(node, 1);
  if (failed(count))
    return failure();
  if (count->size() != 1)
    return node.error() << "has no number of values but " << node.type(1);
  auto sizes = sizesFrom(node, *count);
  if (failed(sizes))
    return failure();
  SmallVector<Traced> given{node.traced(0), {}, node.traced(2)};
  bool isWeighted = node.rank(2) != 1 || node.type(2).getNumElements() != 0;
  size_t rank = node.rank(0);
  if (isWeighted && sizesOf(given[2]).size() != rank)
    return node.error() << "cannot count " << node.type(0) << " with weights "
                        << node.type(2);
  if (isWeighted && failed(shareSizes(node, given[0], given[2], rank)))
    return failure();
  // What is no value goes where nothing is counted, and so does what the place
  // has room for but the size has not.
  Expr values(b, given[0].value);
  int64_t bound = sizes->front().bound;
  Expr nowhere = values.like(static_cast<double>(bound));
  Expr mask = inside(b, sizesOf(given[0]), rank);
  Traced real, size;
  real.value = select(mask, values, nowhere).value;
  size.value = number(b, bound).value;
  given[2].extents.clear();
  if (failed(node.runOn({real, size, given[2]})))
    return failure();
  return giveSizes(node, 0, *sizes);
}

} // namespace

void addBoundedSegmentHandlers(BoundedHandlers &handlers) {
  for (const char *name :
       {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin",
        "UnsortedSegmentMax", "SegmentSumV2", "SegmentProdV2", "SegmentMinV2",
        "SegmentMaxV2"})
    handlers[name] = {importUnsortedSegment, {2}};
  for (const char *name :
       {"SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"})
    handlers[name] = {importSegment, {1}};
  for (const char *name :
       {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN",
        "SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
        "SparseSegmentSqrtNWithNumSegments"})
    handlers[name] = {importSparseSegment, {2, 3}};
  for (const char *name : {"Bincount", "DenseBincount"})
    handlers[name] = {importBincount, {1}};
}

} // namespace weir::tensorflow
