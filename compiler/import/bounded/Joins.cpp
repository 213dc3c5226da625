// Parts of one tensor whose sizes are known only at run time.

#include "compiler/import/bounded/Rules.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir {

FailureOr<SmallVector<Value>> sameBounds(TracedNode &node,
                                         ArrayRef<Traced> parts, int64_t axis,
                                         Sizes &common) {
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

LogicalResult giveJoined(TracedNode &node, ArrayRef<Traced> parts,
                         int64_t axis) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes sizes;
  auto places = sameBounds(node, parts, axis, sizes);
  if (failed(places))
    return failure();
  SmallVector<Expr> joined;
  for (Value place : *places)
    joined.push_back(Expr(b, place));
  Expr all = concat(joined, axis);
  // Where each part begins: among the places, and in the result.
  Size whole{0, {}};
  Expr index = iota(b, all.size(axis)), end = number(b, 0);
  bool hasGaps = false, isOpen = false;
  for (const Traced &part : parts) {
    Size size = sizesOf(part)[axis];
    if (whole.bound) {
      Expr shift = number(b, whole.bound) - end;
      Expr here = apply<graph::GreaterEqualOp>(iota(b, all.size(axis)), end);
      index = select(here, iota(b, all.size(axis)) + shift, index);
    }
    hasGaps |= isOpen && size.bound > 0;
    isOpen |= !size.isKnown();
    whole.bound += size.bound;
    end = end + exactly(b, size);
  }
  if (isOpen)
    whole.exact = end.value;
  sizes[axis] = whole;
  Traced result = withSizes(all.value, sizes);
  return node.tracedResults(
      {hasGaps ? takeAlong(b, result, axis, index, whole) : result});
}

} // namespace weir
