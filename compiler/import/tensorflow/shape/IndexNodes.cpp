// Gathers, one-hot vectors, and the ops of constants whose results' shapes
// depend on values.

#include "compiler/import/tensorflow/shape/IndexNodes.h"

#include "compiler/import/rules/Gathers.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/bounded/Where.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"

using namespace mlir;

namespace weir::tensorflow {

/// Gather, and GatherV2 with an axis and batch dimensions.
LogicalResult importGather(Node &node) {
  if (failed(wantOperands(node, 2)) || failed(wantIndices(node, 1)))
    return failure();
  int64_t axis = 0;
  if (node.size() > 2) {
    auto given = node.axisAt(2, node.rank(0));
    if (failed(given))
      return failure();
    axis = *given;
  }
  int64_t batch = node.intAttr("batch_dims");
  if (batch < 0)
    batch += node.rank(1);
  return giveGathered(node, node.traced(1), axis, batch);
}

LogicalResult importGatherNd(Node &node) {
  if (failed(wantOperands(node, 2)) || failed(wantIndices(node, 1)))
    return failure();
  return giveGatheredNd(node, node.traced(1));
}

LogicalResult wantUniqueOperands(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  if (node.rank(0) != 1)
    return node.unsupported("rank " + Twine(node.rank(0)));
  // Along the only axis, whether it is named or not.
  if (node.op().ends_with("V2") &&
      (failed(wantOperands(node, 2)) ||
       (node.type(1).getNumElements() != 0 && failed(node.axisAt(1, 1)))))
    return failure();
  return success();
}

namespace {

LogicalResult importOneHot(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  Expr indices = operand(node, 0), on = operand(node, 2),
       off = operand(node, 3);
  auto depth = node.integer(1);
  if (failed(depth))
    return failure();
  int64_t axis = node.intAttr("axis", -1), rank = indices.rank();
  axis = axis == -1 ? rank : axis;
  if (axis < 0 || axis > rank || *depth < 0 || on.rank() != 0 ||
      on.type() != off.type() || !isa<IntegerType>(indices.elementType()))
    return node.error() << "cannot mark " << indices.type() << " in " << *depth
                        << " classes along axis " << axis << " by " << on.type()
                        << " and " << off.type();
  if (failed(
          countOrError(node, replaceDims(indices.shape(), axis, 0, {*depth}))))
    return failure();
  return give(
      node, Expr(node.b, make<graph::OneHotOp>(node.b, indices.value, on.value,
                                               off.value, *depth, axis)));
}

/// The constant operand of an op whose result's shape depends on its values.
FailureOr<DenseElementsAttr> wantKnown(Node &node, unsigned i) {
  if (auto value = node.tryConstant(i)) {
    if (value->getNumElements() <= (1 << 24))
      return *value;
    (void)node.unsupported("its operand is too large to compute with now");
    return failure();
  }
  (void)node.unsupported("the shape of its result depends on data");
  return failure();
}

/// The indices of a constant's elements that are true, or not 0.
LogicalResult importWhere(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  auto value = wantKnown(node, 0);
  if (failed(value))
    return failure();
  int64_t rank = node.rank(0), count = 0, at = 0;
  Integers strides = graph::stridesOf(node.shape(0)), positions;
  auto visit = [&](bool isZero) {
    if (!isZero) {
      for (int64_t d = 0; d < rank; ++d)
        positions.push_back(at / strides[d] % node.shape(0)[d]);
      ++count;
    }
    ++at;
  };
  if (isa<FloatType>(value->getElementType()))
    for (const APFloat &number : value->getValues<APFloat>())
      visit(number.isZero());
  else
    for (const APInt &number : value->getValues<APInt>())
      visit(number.isZero());
  return give(node, reshape(integers(node, node.b.getI64Type(), positions),
                            {count, rank}));
}

/// The elements of a constant as numbers that can be compared. No NaN equals
/// another one; `nans` counts those before.
FailureOr<SmallVector<APInt>> bitsOf(Node &node, unsigned i, uint64_t &nans) {
  auto value = wantKnown(node, i);
  if (failed(value))
    return failure();
  SmallVector<APInt> bits;
  if (isa<FloatType>(value->getElementType()))
    for (const APFloat &number : value->getValues<APFloat>())
      bits.push_back(number.isNaN()    ? APInt(128, ++nans) << 64
                     : number.isZero() ? APInt(128, 0)
                                       : number.bitcastToAPInt().zext(128));
  else
    llvm::append_range(bits, value->getValues<APInt>());
  return bits;
}

struct LessBits {
  bool operator()(const APInt &x, const APInt &y) const { return x.ult(y); }
};

/// Each value of a constant once, in the order of their first places; which of
/// them each element is; and how many are.
LogicalResult importUnique(Node &node) {
  if (failed(wantUniqueOperands(node)))
    return failure();
  uint64_t nans = 0;
  auto bits = bitsOf(node, 0, nans);
  if (failed(bits))
    return failure();
  std::map<APInt, int64_t, LessBits> seen;
  Integers first, which, counts;
  for (auto [i, value] : llvm::enumerate(*bits)) {
    auto [found, isNew] = seen.try_emplace(value, counts.size());
    if (isNew) {
      first.push_back(i);
      counts.push_back(0);
    }
    which.push_back(found->second);
    ++counts[found->second];
  }
  Type type = typeAttrOr(node, "out_idx", node.b.getI32Type());
  SmallVector<Expr> results{
      gather(operand(node, 0), integers(node, node.b.getI64Type(), first), 0),
      integers(node, type, which)};
  if (node.op().starts_with("UniqueWithCounts"))
    results.push_back(integers(node, type, counts));
  return give(node, results);
}

/// The elements of a constant that are not in the other one, and their indices.
LogicalResult importListDiff(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  uint64_t nans = 0;
  auto x = bitsOf(node, 0, nans), y = bitsOf(node, 1, nans);
  if (failed(x) || failed(y))
    return failure();
  if (node.rank(0) != 1 || node.rank(1) != 1 ||
      node.type(0).getElementType() != node.type(1).getElementType())
    return node.error() << "cannot take " << node.type(1) << " from "
                        << node.type(0);
  std::map<APInt, bool, LessBits> unwanted;
  for (const APInt &value : *y)
    unwanted[value] = true;
  Integers positions;
  for (auto [i, value] : llvm::enumerate(*x))
    if (!unwanted.count(value))
      positions.push_back(i);
  return give(node,
              {gather(operand(node, 0),
                      integers(node, node.b.getI64Type(), positions), 0),
               integers(node, typeAttrOr(node, "out_idx", node.b.getI32Type()),
                        positions)});
}

/// The rows of data that go to each partition.
LogicalResult importDynamicPartition(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  if (failed(wantKnown(node, 1)))
    return failure();
  auto partitions = node.integers(1);
  if (failed(partitions))
    return failure();
  Expr x = operand(node, 0);
  int64_t rank = node.rank(1), count = node.intAttr("num_partitions");
  if (rank > x.rank() || x.shape().take_front(rank) != node.shape(1) ||
      count < 1 || count > (1 << 20))
    return node.error() << "cannot part " << x.type() << " by " << node.type(1)
                        << " into " << count;
  SmallVector<Integers> rows(count);
  for (auto [i, partition] : llvm::enumerate(*partitions)) {
    if (partition < 0 || partition >= count)
      return node.error() << "partition " << partition << " is not in [0, "
                          << count << ")";
    rows[partition].push_back(i);
  }
  x = reshape(x, replaceDims(x.shape(), 0, rank,
                             {static_cast<int64_t>(partitions->size())}));
  SmallVector<Expr> parts;
  for (const Integers &part : rows)
    parts.push_back(gather(x, integers(node, node.b.getI64Type(), part), 0));
  return give(node, parts);
}

/// Rows of the data operands at the places that the index operands say; of
/// two rows for one place the last.
LogicalResult importDynamicStitch(Node &node) {
  unsigned count = node.size() / 2;
  if (count == 0 || node.size() % 2)
    return node.error() << "has " << node.size() << " operands";
  for (unsigned i = 0; i < count; ++i)
    if (!node.tryConstant(i))
      return importBoundedDynamicStitch(node);
  SmallVector<Expr> rows;
  Integers source;
  ArrayRef<int64_t> slice;
  int64_t total = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (failed(wantKnown(node, i)))
      return failure();
    auto indices = node.integers(i);
    if (failed(indices))
      return failure();
    Expr data = operand(node, count + i);
    int64_t rank = node.rank(i);
    if (rank > data.rank() || data.shape().take_front(rank) != node.shape(i))
      return node.error() << "indices " << node.type(i) << " do not suit "
                          << data.type();
    if (i == 0)
      slice = data.shape().drop_front(rank);
    if (data.shape().drop_front(rank) != slice ||
        data.elementType() != operand(node, count).elementType())
      return node.error() << "cannot stitch " << node.type(count) << " and "
                          << data.type();
    for (int64_t index : *indices) {
      if (index < 0 || index >= (1 << 24))
        return node.error() << "index " << index << " is not valid";
      if (index >= static_cast<int64_t>(source.size()))
        source.resize(index + 1);
      source[index] = total++;
    }
    rows.push_back(
        reshape(data, replaceDims(data.shape(), 0, rank,
                                  {static_cast<int64_t>(indices->size())})));
  }
  Expr all = concat(rows, 0);
  if (failed(countOrError(
          node, replaceDims(all.shape(), 0, 1, {int64_t(source.size())}))))
    return failure();
  return give(node,
              gather(all, integers(node, node.b.getI64Type(), source), 0));
}

LogicalResult importInvertPermutation(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  Expr x = operand(node, 0);
  if (x.rank() != 1 || failed(wantIndices(node, 0)))
    return node.error() << x.type() << " holds no permutation";
  if (failed(checkIndices(node, 0, x, x.size(0))))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Integers numbers;
  for (int64_t i = 0; i < x.size(0); ++i)
    numbers.push_back(i);
  Expr positions = integers(node, x.elementType(), numbers);
  Expr start = filled(node, x.shape(), x.elementType(), 0);
  return give(node,
              Expr(b, make<graph::ScatterOp>(
                          b, start.value, reshape(x, {x.size(0), 1}).value,
                          positions.value, graph::Combiner::update)));
}

} // namespace

void addIndexHandlers(Handlers &handlers) {
  handlers["Gather"] = {importGather, Takes::dynamic};
  handlers["GatherV2"] = {importGather, Takes::dynamic};
  handlers["GatherNd"] = {importGatherNd, Takes::dynamic};
  handlers["OneHot"] = importOneHot;
  handlers["Where"] = importWhere;
  for (const char *name :
       {"Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2"})
    handlers[name] = importUnique;
  handlers["ListDiff"] = importListDiff;
  handlers["DynamicPartition"] = importDynamicPartition;
  handlers["DynamicStitch"] = importDynamicStitch;
  handlers["ParallelDynamicStitch"] = importDynamicStitch;
  handlers["InvertPermutation"] = importInvertPermutation;
  addOrderHandlers(handlers);
  addPositionHandlers(handlers);
  addScatterHandlers(handlers);
  addSegmentHandlers(handlers);
}

} // namespace weir::tensorflow
