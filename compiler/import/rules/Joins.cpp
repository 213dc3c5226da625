// Parts of one tensor whose sizes are known only at run time.

#include "compiler/import/rules/Joins.h"

#include "compiler/import/bounded/Polynomial.h"

#include "compiler/import/bounded/Agreement.h"
#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"
#include "compiler/import/bounded/ranges/Intervals.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

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
  SmallVector<Value> buffers;
  for (const Traced &part : parts) {
    SmallVector<int64_t> bounds = boundsOf(common);
    if (axis >= 0)
      bounds[axis] = typeOf(part.value).getDimSize(axis);
    buffers.push_back(paddedTo(node.b, part.value, bounds));
  }
  return buffers;
}

FailureOr<Traced> joined(TracedNode &node, ArrayRef<Traced> parts,
                         int64_t axis) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes sizes;
  auto buffers = sameBounds(node, parts, axis, sizes);
  if (failed(buffers))
    return failure();
  Size whole{0, {}};
  bool hasGaps = false, isDynamic = false;
  for (const Traced &part : parts) {
    Size size = sizesOf(part)[axis];
    hasGaps |= isDynamic && size.bound > 0;
    isDynamic |= !size.isKnown();
    if (llvm::AddOverflow(whole.bound, size.bound, whole.bound))
      return node.error() << "makes too many elements";
  }
  sizes[axis].bound = whole.bound;
  if (!byteSize(boundsOf(sizes), 1))
    return node.error() << "makes too many elements";
  SmallVector<int64_t> bounds = boundsOf(sizes);
  SmallVector<Value> starts(bounds.size(), number(b, 0).value);
  SmallVector<Expr> pieces;
  Expr end = number(b, 0);
  Value all;
  // Each part begins where the one before ends, and takes the place of what
  // that has beyond its size.
  for (auto [part, buffer] : llvm::zip_equal(parts, *buffers)) {
    pieces.push_back(Expr(b, buffer));
    starts[axis] = end.value;
    if (hasGaps)
      all = all ? make<graph::DynamicUpdateSliceOp>(b, all, buffer, starts)
                : paddedTo(b, buffer, bounds);
    end = end + exactly(b, sizesOf(part)[axis]);
  }
  if (!hasGaps)
    all = concat(pieces, axis).value;
  if (isDynamic) {
    // The sum may be known where its parts are not: n and 100 - n.
    Interval range = intervalOf(end.value);
    Value exact = Polynomials().simplified(b, end.value);
    auto known = knownNumber(exact);
    if (known && *known >= 0 && *known <= whole.bound)
      whole = {*known, {}};
    else
      whole = {static_cast<int64_t>(
                   std::clamp(range.high, 0.0, double(whole.bound))),
               exact};
  }
  sizes[axis] = whole;
  return withSizes(paddedTo(b, all, boundsOf(sizes)), sizes);
}

FailureOr<SmallVector<Traced>> partsOf(TracedNode &node, const Traced &x,
                                       int64_t axis, ArrayRef<Value> sizes) {
  ImplicitLocOpBuilder &b = node.b;
  const Size whole = sizesOf(x)[axis];
  SmallVector<int64_t> caps(1, whole.bound);
  SmallVector<Traced> parts;
  Expr begin = number(b, 0);
  for (Value scalar : sizes) {
    auto size = sizesFrom(node, {scalar}, caps);
    if (failed(size))
      return failure();
    parts.push_back(windowOf(b, x, axis, begin, size->front()));
    begin = begin + exactly(b, size->front());
  }
  Expr all = exactly(b, whole);
  auto known = knownNumber(begin.value), wanted = knownNumber(all.value);
  if (known && wanted && *known != *wanted)
    return node.error() << "splits " << *wanted << " elements into parts of "
                        << *known;
  if (!isSame(begin.value, all.value))
    require(node, apply<graph::EqualOp>(begin, all),
            "its parts are not all of the elements along dimension " +
                Twine(axis));
  return parts;
}

LogicalResult giveStacked(TracedNode &node, ArrayRef<Traced> parts,
                          int64_t axis) {
  Sizes sizes;
  auto buffers = sameBounds(node, parts, -1, sizes);
  if (failed(buffers))
    return failure();
  sizes.insert(sizes.begin() + axis, Size{1, {}});
  SmallVector<Expr> pieces;
  for (Value buffer : *buffers)
    pieces.push_back(reshape(Expr(node.b, buffer), boundsOf(sizes)));
  sizes[axis].bound = static_cast<int64_t>(parts.size());
  if (!byteSize(boundsOf(sizes), 1))
    return node.error() << "makes too many elements";
  return node.tracedResults({withSizes(concat(pieces, axis).value, sizes)});
}

LogicalResult giveJoined(TracedNode &node, ArrayRef<Traced> parts,
                         int64_t axis) {
  FailureOr<Traced> whole = joined(node, parts, axis);
  return failed(whole) ? failure() : node.tracedResults({*whole});
}

} // namespace weir
