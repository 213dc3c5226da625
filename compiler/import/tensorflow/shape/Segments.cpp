// Reductions of rows by the segment that each belongs to, and counts of
// values.

#include "compiler/import/tensorflow/shape/Segments.h"

#include "compiler/import/rules/Gathers.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include <numeric>

using namespace mlir;

namespace weir::tensorflow {
namespace {

using graph::Combiner;

/// The least or the greatest value of a type.
Expr extreme(Node &node, ArrayRef<int64_t> shape, Type type, bool greatest) {
  auto tensor = RankedTensorType::get(shape, type);
  DenseElementsAttr value;
  if (auto number = dyn_cast<FloatType>(type)) {
    value = DenseElementsAttr::get(
        tensor, APFloat::getLargest(number.getFloatSemantics(), !greatest));
  } else {
    unsigned width = type.getIntOrFloatBitWidth();
    bool isUnsigned = type.isUnsignedInteger() || width == 1;
    value = DenseElementsAttr::get(
        tensor, isUnsigned ? (greatest ? APInt::getMaxValue(width)
                                       : APInt::getMinValue(width))
                           : (greatest ? APInt::getSignedMaxValue(width)
                                       : APInt::getSignedMinValue(width)));
  }
  return Expr(node.b, node.b.create<graph::ConstantOp>(value));
}

struct Reduction {
  Combiner combiner;
  Expr start;
};

/// What the op's name asks for, and what an empty segment has.
FailureOr<Reduction> reductionOf(Node &node, ArrayRef<int64_t> shape,
                                 Type type) {
  StringRef op = node.op();
  if (op.ends_with("V2"))
    op = op.drop_back(2);
  if (op.ends_with("Prod"))
    return Reduction{Combiner::mul, filled(node, shape, type, 1)};
  if (op.ends_with("Min"))
    return Reduction{Combiner::min, extreme(node, shape, type, true)};
  if (op.ends_with("Max"))
    return Reduction{Combiner::max, extreme(node, shape, type, false)};
  return Reduction{Combiner::add, filled(node, shape, type, 0)};
}

} // namespace

FailureOr<Expr> combineSegments(Node &node, Expr data, Expr ids,
                                int64_t count) {
  if (ids.rank() > data.rank() ||
      data.shape().take_front(ids.rank()) != ids.shape() || count < 0 ||
      !isIndexType(ids.elementType()) || data.elementType().isInteger(1))
    return node.error() << "cannot combine " << data.type() << " by "
                        << ids.type() << " into " << count << " segments";
  Integers shape{count}, vectors(ids.shape());
  llvm::append_range(shape, data.shape().drop_front(ids.rank()));
  vectors.push_back(1);
  if (failed(countOrError(node, shape)))
    return failure();
  auto reduction = reductionOf(node, shape, data.elementType());
  if (failed(reduction))
    return failure();
  return Expr(node.b, make<graph::ScatterOp>(node.b, reduction->start.value,
                                             reshape(ids, vectors).value,
                                             data.value, reduction->combiner));
}

namespace {

LogicalResult importUnsortedSegment(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto count = node.integer(2);
  if (failed(count))
    return failure();
  Expr ids = operand(node, 1);
  // Rows of negative segments are left out.
  if (failed(checkIndices(node, 1, ids, *count, /*negativeIsFine=*/true)))
    return failure();
  auto result = combineSegments(node, operand(node, 0), ids, *count);
  if (failed(result))
    return failure();
  return give(node, *result);
}

/// The number of elements of each segment; an error where ids are not sorted.
FailureOr<Integers> countSegments(Node &node, unsigned i, int64_t least) {
  if (!node.tryConstant(i)) {
    (void)node.unsupported("the number of segments depends on data");
    return failure();
  }
  auto ids = node.integers(i);
  if (failed(ids))
    return failure();
  Integers counts(least);
  for (auto [at, id] : llvm::enumerate(*ids)) {
    if (id < 0 || id >= (1 << 24) || (at && id < (*ids)[at - 1]))
      return node.error() << "segment " << id << " of element " << at
                          << " is out of order";
    if (id >= static_cast<int64_t>(counts.size()))
      counts.resize(id + 1);
    ++counts[id];
  }
  return counts;
}

/// Segments whose ids are sorted, of `data` by operand `i`. An empty one has 0
/// but for a product; a mean, or a sum over a square root, is divided.
LogicalResult sortedSegments(Node &node, Expr data, unsigned i, int64_t least) {
  auto counts = countSegments(node, i, least);
  if (failed(counts))
    return failure();
  Expr ids = operand(node, i);
  int64_t count = counts->size();
  if (ids.rank() != 1)
    return node.error() << "segments are " << ids.type();
  auto result = combineSegments(node, data, ids, count);
  if (failed(result))
    return failure();
  Expr x = *result;
  Integers column(x.rank(), 1);
  column[0] = count;
  StringRef op = node.op();
  if (op.contains("Mean") || op.contains("SqrtN")) {
    SmallVector<double> divisors;
    for (int64_t number : *counts)
      divisors.push_back(op.contains("Mean")
                             ? std::max<double>(number, 1)
                             : std::sqrt(std::max<double>(number, 1)));
    x = x / constant(node.b, x.elementType(), column, divisors);
  }
  if ((op.contains("Min") || op.contains("Max")) &&
      llvm::is_contained(*counts, 0)) {
    SmallVector<bool> isMet;
    for (int64_t number : *counts)
      isMet.push_back(number != 0);
    x = select(booleans(node, column, isMet), x, x.like(0));
  }
  return give(node, x);
}

LogicalResult importSegment(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  return sortedSegments(node, operand(node, 0), 1, 0);
}

/// Rows of the data by index, then by segment.
LogicalResult importSparseSegment(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr data = operand(node, 0), indices = operand(node, 1);
  int64_t least = 0;
  if (node.size() > 3) {
    auto count = node.integer(3);
    if (failed(count))
      return failure();
    if (*count < 0 || *count > (1 << 24))
      return node.error() << "cannot make " << *count << " segments";
    least = *count;
  }
  if (data.rank() < 1 || indices.rank() != 1 ||
      !isa<IntegerType>(indices.elementType()))
    return node.error() << "cannot choose rows of " << data.type() << " by "
                        << indices.type();
  if (failed(checkIndices(node, 1, indices, data.size(0))))
    return failure();
  Expr rows = gather(data, indices, 0);
  return rows ? sortedSegments(node, rows, 2, least) : give(node, rows);
}

/// How often each of 0 .. size-1 is met, or the sum of the weights there.
LogicalResult importBincount(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr values = operand(node, 0), weights = operand(node, 2);
  auto size = node.integer(1);
  if (failed(size))
    return failure();
  if (*size < 0 || failed(countOrError(node, {*size})))
    return node.error() << "cannot count " << *size << " values";
  bool isDense = node.op() == "DenseBincount";
  bool isWeighted = weights.type().getNumElements() != 0;
  if ((isDense && values.rank() != 1 && values.rank() != 2) ||
      (isWeighted && weights.shape() != values.shape()) ||
      !isa<IntegerType>(values.elementType()))
    return node.error() << "cannot count " << values.type() << " with weights "
                        << weights.type();
  // Values from `size` on are left out; negative ones are an error.
  if (failed(
          checkIndices(node, 0, values, std::numeric_limits<int64_t>::max())))
    return failure();
  Type type = weights.elementType();
  Expr amounts = isWeighted ? weights : filled(node, values.shape(), type, 1);
  bool isBinary = node.boolAttr("binary_output");
  if (isBinary)
    amounts = filled(node, values.shape(), type, 1);
  Integers vectors(values.shape()), counts{*size};
  vectors.push_back(1);
  Expr positions = reshape(values, vectors);
  if (isDense && values.rank() == 2) {
    // Each row is counted by itself.
    counts.insert(counts.begin(), values.size(0));
    Integers rows(values.size(0));
    std::iota(rows.begin(), rows.end(), 0);
    Expr row = integers(node, values.elementType(), rows);
    row = broadcast(reshape(row, {values.size(0), 1, 1}), vectors);
    positions = concat({row, positions}, 2);
  }
  if (failed(countOrError(node, counts)))
    return failure();
  Expr zeros = filled(node, counts, type, 0);
  return give(
      node,
      Expr(node.b, make<graph::ScatterOp>(
                       node.b, zeros.value, positions.value, amounts.value,
                       isBinary ? Combiner::update : Combiner::add)));
}

/// How many values lie in each of equal parts of a range; those outside count
/// to its ends.
LogicalResult importHistogram(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr values = operand(node, 0), range = operand(node, 1);
  auto bins = node.integer(2);
  if (failed(bins))
    return failure();
  if (*bins < 1 || *bins > (1 << 24) || range.type().getNumElements() != 2 ||
      range.rank() != 1 || range.elementType() != values.elementType())
    return node.error() << "cannot count " << values.type() << " in " << *bins
                        << " parts of " << range.type();
  int64_t count = values.type().getNumElements();
  Type work = b.getF64Type();
  Expr x = cast(reshape(values, {count}), work),
       low = reshape(cast(slice(range, 0, 0, 1), work), {}),
       high = reshape(cast(slice(range, 0, 1, 1), work), {});
  Expr step = (high - low) / static_cast<double>(*bins);
  Expr position =
      clamp((maximum(x, low) - low) / step, 0, static_cast<double>(*bins - 1));
  Expr indices = cast(position, b.getI32Type());
  Type type = typeAttrOr(node, "dtype", b.getI32Type());
  return give(
      node, Expr(b, make<graph::ScatterOp>(
                        b, filled(node, {*bins}, type, 0).value,
                        reshape(indices, {count, 1}).value,
                        filled(node, {count}, type, 1).value, Combiner::add)));
}

} // namespace

void addSegmentHandlers(Handlers &handlers) {
  for (const char *name :
       {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin",
        "UnsortedSegmentMax", "SegmentSumV2", "SegmentProdV2", "SegmentMinV2",
        "SegmentMaxV2"})
    handlers[name] = importUnsortedSegment;
  for (const char *name :
       {"SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"})
    handlers[name] = importSegment;
  for (const char *name :
       {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN",
        "SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
        "SparseSegmentSqrtNWithNumSegments"})
    handlers[name] = importSparseSegment;
  handlers["Bincount"] = importBincount;
  handlers["DenseBincount"] = importBincount;
  handlers["HistogramFixedWidth"] = importHistogram;
}

} // namespace weir::tensorflow
