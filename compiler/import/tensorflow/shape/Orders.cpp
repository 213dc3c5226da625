// Ops that order or count: sorts, the largest, places in sorted rows.

#include "compiler/import/rules/Gathers.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// TopK has k as an attribute, TopKV2 as an operand.
LogicalResult importTopK(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  int64_t k = node.intAttr("k");
  if (node.size() > 1) {
    auto number = node.integer(1);
    if (failed(number))
      return failure();
    k = *number;
  }
  Expr x = operand(node, 0);
  if (x.rank() < 1 || k < 0 || k > x.shape().back())
    return node.error() << "cannot take the " << k << " largest of "
                        << x.type();
  ImplicitLocOpBuilder &b = node.b;
  auto top = b.create<graph::TopKOp>(x.value, k);
  Type type = typeAttrOr(node, "index_type", b.getI32Type());
  return give(
      node, {Expr(b, top.getValues()), cast(Expr(b, top.getIndices()), type)});
}

/// Whether each target is among the k largest predictions of its row, none of
/// which is infinite or no number.
LogicalResult importInTopK(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr x = operand(node, 0), targets = operand(node, 1);
  ImplicitLocOpBuilder &b = node.b;
  Expr k;
  if (node.size() > 2)
    k = operand(node, 2);
  else
    k = Expr(b, splat(b, RankedTensorType::get({}, targets.elementType()),
                      static_cast<double>(node.intAttr("k"))));
  if (x.rank() != 2 || targets.rank() != 1 || targets.size(0) != x.size(0) ||
      k.rank() != 0 || !isa<FloatType>(x.elementType()) || x.size(1) == 0)
    return node.error() << "cannot look for " << targets.type() << " in "
                        << x.type();
  int64_t rows = x.size(0), classes = x.size(1);
  Expr column = reshape(targets, {rows, 1});
  Expr own(b, make<graph::GatherOp>(b, x.value, column.value, 1, 1));
  Expr theirs = x;
  if (!align(theirs, own))
    return give(node, Expr());
  Expr above(b, make<graph::GreaterOp>(b, theirs.value, own.value));
  Expr count = sum(cast(above, b.getI32Type()), {1});
  Expr limit = broadcast(cast(k, b.getI32Type()), {rows});
  Value result = make<graph::LessOp>(b, count.value, limit.value);
  Value finite = make<graph::IsFiniteOp>(b, x.value);
  finite = make<graph::ReduceAndOp>(b, finite, ArrayRef<int64_t>{1});
  result = make<graph::LogicalAndOp>(b, result, finite);
  // A target that is no class is never found.
  Expr low = broadcast(targets.like(0), {rows}),
       high = broadcast(targets.like(static_cast<double>(classes)), {rows});
  result = make<graph::LogicalAndOp>(
      b, result, make<graph::GreaterEqualOp>(b, targets.value, low.value));
  result = make<graph::LogicalAndOp>(
      b, result, make<graph::LessOp>(b, targets.value, high.value));
  return give(node, Expr(b, result));
}

/// Element n of each row when it is sorted.
LogicalResult importNthElement(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr x = operand(node, 0), n = operand(node, 1);
  if (x.rank() < 1 || x.shape().back() == 0 || n.rank() != 0 ||
      !isIndexType(n.elementType()))
    return node.error() << "cannot take element " << n.type() << " of rows of "
                        << x.type();
  if (failed(checkIndices(node, 1, n, x.shape().back())))
    return failure();
  auto sort =
      b.create<graph::SortOp>(ValueRange{x.value}, node.boolAttr("reverse"));
  Expr sorted(b, sort.getOutputs()[0]);
  return give(node, Expr(b, make<graph::GatherOp>(b, sorted.value, n.value,
                                                  x.rank() - 1, 0)));
}

/// The k-th largest element of each row by its bits, which put every float in
/// an order: -0 before 0, and numbers that are none at the ends, by their
/// signs.
LogicalResult importKthOrderStatistic(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr x = operand(node, 0);
  int64_t k = node.intAttr("k");
  if (!x.elementType().isF32() || x.rank() < 1 || k < 1 || k > x.shape().back())
    return node.error() << "has no element " << k << " in the rows of "
                        << x.type();
  Type type = b.getI32Type();
  Expr bits(b, make<graph::BitcastOp>(b, x.type().clone(type), x.value));
  // Of two negative floats the one with the larger magnitude is the smaller.
  Expr flipped = apply<graph::BitwiseXorOp>(
      bits, constant(b, type, {}, {static_cast<double>(INT32_MAX)}));
  Expr keys = select(apply<graph::LessOp>(bits, bits.like(0)), flipped, bits);
  auto sort = b.create<graph::SortOp>(ValueRange{keys.value, x.value},
                                      /*descending=*/true);
  Expr sorted(b, sort.getOutputs()[1]);
  return give(node, reshape(slice(sorted, x.rank() - 1, k - 1, 1),
                            x.shape().drop_back()));
}

/// LowerBound and UpperBound.
LogicalResult importBound(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Expr sorted = operand(node, 0), values = operand(node, 1);
  if (sorted.rank() < 1 || sorted.rank() != values.rank() ||
      sorted.elementType() != values.elementType() ||
      sorted.shape().drop_back() != values.shape().drop_back() ||
      sorted.elementType().isInteger(1))
    return node.error() << "cannot search " << sorted.type() << " for "
                        << values.type();
  ImplicitLocOpBuilder &b = node.b;
  Expr positions(b, make<graph::SearchSortedOp>(b, sorted.value, values.value,
                                                node.op() == "UpperBound"));
  return give(node,
              cast(positions, typeAttrOr(node, "out_type", b.getI32Type())));
}

/// The number of boundaries, an attribute, that are not above each element.
LogicalResult importBucketize(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr x = operand(node, 0);
  SmallVector<double> boundaries;
  for (float boundary : node.floatsAttr("boundaries"))
    boundaries.push_back(boundary);
  if (!llvm::is_sorted(boundaries))
    return node.error() << "its boundaries are not in order";
  // Boundaries are f32, and so are numbers compared with them, if not wider.
  Type type = x.elementType();
  if (!type.isF64())
    type = type.isInteger(32) || type.isInteger(64) ? Type(b.getF64Type())
                                                    : Type(b.getF32Type());
  int64_t count = boundaries.size();
  Expr row = constant(b, type, {count}, boundaries);
  Expr values = reshape(cast(x, type), {x.type().getNumElements()});
  Expr positions(b,
                 make<graph::SearchSortedOp>(b, row.value, values.value, true));
  return give(node, reshape(positions, x.shape()));
}

/// Eight comparisons, or booleans, become the bits of a byte, the first the
/// highest.
LogicalResult importCompareAndBitpack(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  Expr x = operand(node, 0), threshold = operand(node, 1);
  if (x.rank() < 1 || x.shape().back() % 8 || threshold.rank() != 0 ||
      threshold.elementType() != x.elementType())
    return node.error() << "cannot pack comparisons of " << x.type() << " with "
                        << threshold.type();
  Expr limit = broadcast(threshold, x.shape());
  // Booleans are packed as they are, whatever the threshold is.
  Value bits = x.value;
  if (!x.elementType().isInteger(1))
    bits = make<graph::GreaterOp>(b, x.value, limit.value);
  Integers shape(x.shape());
  shape.back() /= 8;
  shape.push_back(8);
  Type byte = b.getIntegerType(8, /*isSigned=*/false);
  Expr packed = reshape(cast(Expr(b, bits), byte), shape) *
                constant(b, byte, {8}, {128, 64, 32, 16, 8, 4, 2, 1});
  return give(node, sum(packed, {x.rank()}));
}

} // namespace

void addOrderHandlers(Handlers &handlers) {
  handlers["TopK"] = importTopK;
  handlers["TopKV2"] = importTopK;
  handlers["InTopK"] = importInTopK;
  handlers["InTopKV2"] = importInTopK;
  handlers["NthElement"] = importNthElement;
  handlers["KthOrderStatistic"] = importKthOrderStatistic;
  handlers["LowerBound"] = importBound;
  handlers["UpperBound"] = importBound;
  handlers["Bucketize"] = importBucketize;
  handlers["CompareAndBitpack"] = importCompareAndBitpack;
}

} // namespace weir::tensorflow
