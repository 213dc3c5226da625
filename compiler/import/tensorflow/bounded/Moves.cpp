// Ops that repeat, pad and reverse, where sizes are known only at run time:
// each dimension by the index that an element comes from.

#include "compiler/import/tensorflow/shape/Moves.h"
#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/Lists.h"
#include "compiler/import/bounded/Places.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/rules/Pads.h"
#include "compiler/import/rules/Repeats.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

LogicalResult importTile(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto multiples = listedScalars(node, 1);
  return failed(multiples) ? failure() : giveTiled(node, *multiples);
}

/// Pad, PadV2 and MirrorPad.
LogicalResult importPad(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  RankedTensorType list = node.type(1);
  int64_t rank = node.rank(0);
  if (node.traced(1).isBounded() ||
      list.getShape() != ArrayRef<int64_t>({rank, 2}) ||
      !isa<IntegerType>(list.getElementType()))
    return node.error() << "cannot pad " << node.type(0) << " by " << list;
  if (node.size() > 2 &&
      (node.rank(2) != 0 ||
       node.type(2).getElementType() != node.type(0).getElementType()))
    return node.error() << "cannot pad " << node.type(0) << " with "
                        << node.type(2);
  Margins margins;
  for (int64_t i = 0; i < 2 * rank; ++i)
    (i % 2 ? margins.high : margins.low)
        .push_back(Expr(
            b, castTo(b, elementOf(b, node.operand(1), i), b.getI64Type())));
  if (node.op() == "MirrorPad")
    margins.edges = node.stringAttr("mode") == "SYMMETRIC" ? Edges::symmetric
                                                           : Edges::reflect;
  return givePadded(node, margins,
                    node.size() > 2 ? operand(node, 2)
                                    : operand(node, 0).like(0));
}

LogicalResult importBroadcastTo(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto sizes = sizesAt(node, 1);
  return failed(sizes) ? failure() : giveBroadcast(node, *sizes);
}

/// Two shapes whose numbers are known only at run time; how many they are is
/// known.
LogicalResult importBroadcastArgs(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto x = listedScalars(node, 0), y = listedScalars(node, 1);
  if (failed(x) || failed(y))
    return failure();
  size_t rank = std::max(x->size(), y->size());
  Expr one = number(b, 1);
  SmallVector<Value> sizes;
  for (size_t i = 0; i < rank; ++i) {
    auto at = [&](ArrayRef<Value> list) {
      return i + list.size() < rank ? one
                                    : Expr(b, list[i + list.size() - rank]);
    };
    Expr p = at(*x), q = at(*y), isOne = apply<graph::EqualOp>(p, one);
    Expr fits = apply<graph::LogicalOrOp>(
        apply<graph::EqualOp>(p, q),
        apply<graph::LogicalOrOp>(isOne, apply<graph::EqualOp>(q, one)));
    require(node, fits, "the shapes do not broadcast");
    sizes.push_back(
        reshape(cast(select(isOne, q, p), node.type(0).getElementType()), {1})
            .value);
  }
  SmallVector<Expr> parts;
  for (Value size : sizes)
    parts.push_back(Expr(b, size));
  return give(node, parts.empty() ? operand(node, 0) : concat(parts, 0));
}

LogicalResult importReverse(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  auto dims = node.integers(1);
  if (failed(dims))
    return failure();
  Traced result = node.traced(0);
  Sizes sizes = sizesOf(result);
  for (int64_t dim : *dims) {
    dim = dim < 0 ? dim + node.rank(0) : dim;
    if (dim < 0 || dim >= node.rank(0))
      return node.error() << "cannot reverse dimensions [" << *dims << "] of "
                          << node.type(0);
    Expr last = exactly(b, sizes[dim]) - 1.0;
    result =
        takeAlong(b, result, dim, last - iota(b, sizes[dim].bound), sizes[dim]);
  }
  return node.tracedResults({result});
}

/// The dimensions along which each of two operands was repeated. One whose size
/// only the run knows counts as larger than 1: were it 1, the sum along it that
/// is then left out would change nothing.
LogicalResult importBroadcastGradientArgs(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto x = listedScalars(node, 0), y = listedScalars(node, 1);
  if (failed(x) || failed(y))
    return failure();
  size_t rank = std::max(x->size(), y->size());
  Integers reduced[2];
  for (size_t i = 0; i < rank; ++i) {
    auto at = [&](ArrayRef<Value> list) {
      return i + list.size() < rank ? number(node.b, 1).value
                                    : list[i + list.size() - rank];
    };
    Value sizes[2] = {at(*x), at(*y)};
    bool isOne[2] = {knownNumber(sizes[0]) == 1, knownNumber(sizes[1]) == 1};
    for (int k : {0, 1})
      if (isOne[k])
        reduced[k].push_back(static_cast<int64_t>(i));
    if (!isOne[0] && !isOne[1] && sizes[0] != sizes[1])
      require(
          node,
          apply<graph::EqualOp>(Expr(node.b, sizes[0]), Expr(node.b, sizes[1])),
          "the shapes do not broadcast");
  }
  Type type = node.type(0).getElementType();
  return give(node, {integers(node, type, reduced[0]),
                     integers(node, type, reduced[1])});
}

LogicalResult importReverseSequence(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  Sizes sizes = sizesOf(node.traced(0)), counts = sizesOf(node.traced(1));
  int64_t along = node.intAttr("seq_dim"), batch = node.intAttr("batch_dim");
  if (along < 0 || along >= node.rank(0) || batch < 0 ||
      batch >= node.rank(0) || counts.size() != 1)
    return node.error() << "cannot reverse dimension " << along << " of "
                        << node.type(0) << " by " << node.type(1);
  auto common = agreedSize(node, sizes[batch], counts[0], "rows and lengths");
  if (failed(common))
    return failure();
  // Nothing is reversed in rows that do not count.
  Expr lengths = masked(node.b, node.traced(1), 0);
  require(node,
          apply<graph::LessEqualOp>(cast(lengths, node.b.getI64Type()),
                                    exactly(node.b, sizes[along])),
          "a row is shorter than what is to be reversed of it");
  SmallVector<int64_t> bounds = boundsOf(sizes);
  bounds[batch] = common->bound;
  sizes[batch] = *common;
  if (failed(
          runOnPlaces(node, {inPlaceOf(node.b, node.operand(0), bounds),
                             inPlaceOf(node.b, lengths.value, common->bound)})))
    return failure();
  return giveSizes(node, 0, sizes);
}

} // namespace

void addBoundedMoveHandlers(BoundedHandlers &handlers) {
  handlers["Tile"] = {importTile, {1}};
  for (StringRef op : {"Pad", "PadV2", "MirrorPad"})
    handlers[op] = {importPad, {1}};
  handlers["BroadcastTo"] = {importBroadcastTo, {1}};
  handlers["BroadcastArgs"] = {importBroadcastArgs, {0, 1}};
  handlers["BroadcastGradientArgs"] = {importBroadcastGradientArgs, {0, 1}};
  handlers["ReverseV2"] = importReverse;
  handlers["ReverseSequence"] = importReverseSequence;
}

} // namespace weir::tensorflow
