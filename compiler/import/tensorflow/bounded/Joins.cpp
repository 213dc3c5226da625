// Concat, pack, split and unpack of tensors of sizes known only at run time.

#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The parts in places of the same bounds, but for dimension `axis`, where it
/// is one; and the sizes that they share.
FailureOr<SmallVector<Value>> sameBounds(Node &node, ArrayRef<Traced> parts,
                                         int64_t axis, Sizes &common) {
  common = sizesOf(parts.front());
  for (const Traced &part : parts.drop_front()) {
    Sizes sizes = sizesOf(part);
    if (typeOf(part.value).getElementType() !=
            typeOf(parts[0].value).getElementType() ||
        sizes.size() != common.size())
      return node.error() << "cannot join " << parts[0].value.getType()
                          << " and " << part.value.getType();
    for (auto [i, size] : llvm::enumerate(sizes)) {
      if (static_cast<int64_t>(i) == axis)
        continue;
      auto agreed = agreedSize(node, common[i], size,
                               "operands along dimension " + Twine(i));
      if (failed(agreed))
        return failure();
      common[i] = *agreed;
    }
  }
  SmallVector<Value> places;
  for (const Traced &part : parts) {
    SmallVector<int64_t> bounds = boundsOf(common);
    if (axis >= 0)
      bounds[axis] = typeOf(part.value).getDimSize(axis);
    places.push_back(inPlaceOf(node.b, part.value, bounds));
  }
  return places;
}

LogicalResult importConcat(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  ImplicitLocOpBuilder &b = node.b;
  unsigned last = node.size() - 1;
  bool axisFirst = node.op() == "Concat";
  unsigned first = axisFirst ? 1 : 0;
  auto axis = node.axisAt(axisFirst ? 0 : last, node.rank(first));
  if (failed(axis))
    return failure();
  SmallVector<Traced> parts;
  for (unsigned i = 0; i < last; ++i)
    parts.push_back(node.traced(first + i));
  Sizes sizes;
  auto places = sameBounds(node, parts, *axis, sizes);
  if (failed(places))
    return failure();
  SmallVector<Expr> joined;
  for (Value place : *places)
    joined.push_back(Expr(b, place));
  Expr all = concat(joined, *axis);
  // Where each part begins: among the places, and in the result.
  Size whole{0, {}};
  Expr index = iota(b, all.size(*axis)), end = number(b, 0);
  bool hasGaps = false, isOpen = false;
  for (const Traced &part : parts) {
    Size size = sizesOf(part)[*axis];
    if (whole.bound) {
      Expr shift = number(b, whole.bound) - end;
      Expr here = apply<graph::GreaterEqualOp>(iota(b, all.size(*axis)), end);
      index = select(here, iota(b, all.size(*axis)) + shift, index);
    }
    hasGaps |= isOpen && size.bound > 0;
    isOpen |= !size.isKnown();
    whole.bound += size.bound;
    end = end + exactly(b, size);
  }
  if (isOpen)
    whole.exact = end.value;
  sizes[*axis] = whole;
  Traced result = withSizes(all.value, sizes);
  return node.tracedResults(
      {hasGaps ? takeAlong(b, result, *axis, index, whole) : result});
}

LogicalResult importPack(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  SmallVector<Traced> parts;
  for (unsigned i = 0; i < node.size(); ++i)
    parts.push_back(node.traced(i));
  Sizes sizes;
  auto places = sameBounds(node, parts, -1, sizes);
  if (failed(places) || failed(runOnPlaces(node, *places)))
    return failure();
  int64_t rank = node.rank(0) + 1, axis = node.intAttr("axis");
  axis = axis < 0 ? axis + rank : axis;
  sizes.insert(sizes.begin() + axis,
               Size{static_cast<int64_t>(node.size()), {}});
  return giveSizes(node, 0, sizes);
}

/// Runs the node's own handler on the places, whose dimension `axis` it takes
/// apart; the others keep their sizes.
LogicalResult takeApart(Node &node, unsigned operand, int64_t axis,
                        bool dropsAxis) {
  Sizes sizes = sizesOf(node.traced(operand));
  if (!sizes[axis].isKnown())
    return node.unsupported("takes apart a dimension whose size is known only "
                            "at run time");
  if (failed(runOnPlaces(node, {})))
    return failure();
  for (unsigned i = 0; i < node.given.size(); ++i) {
    Sizes own = sizes;
    if (dropsAxis)
      own.erase(own.begin() + axis);
    else
      own[axis].bound = typeOf(node.given[i].value).getDimSize(axis);
    if (failed(giveSizes(node, i, own)))
      return failure();
  }
  return success();
}

LogicalResult importUnpack(Node &node) {
  if (failed(wantOperands(node, 1)))
    return failure();
  auto axis = node.axis(node.intAttr("axis"), node.rank(0));
  return failed(axis) ? failure() : takeApart(node, 0, *axis, true);
}

LogicalResult importSplit(Node &node) {
  if (failed(wantOperands(node, 2)))
    return failure();
  auto axis = node.axisAt(0, node.rank(1));
  return failed(axis) ? failure() : takeApart(node, 1, *axis, false);
}

LogicalResult importSplitV(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto axis = node.axisAt(2, node.rank(0));
  return failed(axis) ? failure() : takeApart(node, 0, *axis, false);
}

} // namespace

void addBoundedJoinHandlers(BoundedHandlers &handlers) {
  handlers["Concat"] = importConcat;
  handlers["ConcatV2"] = importConcat;
  handlers["Pack"] = importPack;
  handlers["Unpack"] = importUnpack;
  handlers["Split"] = importSplit;
  handlers["SplitV"] = importSplitV;
}

} // namespace weir::tensorflow
