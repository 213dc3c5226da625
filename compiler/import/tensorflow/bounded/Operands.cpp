// Operands whose sizes must agree, and results of a node's own handler, where
// sizes are known only at run time.

#include "compiler/import/tensorflow/bounded/Bounds.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir::tensorflow {

FailureOr<Size> agreedSize(Node &node, Size x, Size y, const Twine &what) {
  if (x == y)
    return x;
  if (x.isKnown() && y.isKnown())
    return node.error() << "has " << what.str() << " of size " << x.bound
                        << " and " << y.bound;
  if (x.exact != y.exact)
    require(node, apply<graph::EqualOp>(exactly(node.b, x), exactly(node.b, y)),
            what + " differ in size");
  const Size &known = x.isKnown() ? x : y, &open = x.isKnown() ? y : x;
  if (known.isKnown() && known.bound > open.bound)
    return node.error() << "has " << what.str() << " of size " << known.bound
                        << " and of at most " << open.bound;
  return x.isKnown() || (!y.isKnown() && x.bound <= y.bound) ? x : y;
}

FailureOr<Sizes> commonSizes(Node &node, ArrayRef<Sizes> all) {
  size_t rank = 0;
  for (const Sizes &sizes : all)
    rank = std::max(rank, sizes.size());
  Sizes common(rank, Size{1, {}});
  for (size_t i = 0; i < rank; ++i) {
    Size &result = common[rank - 1 - i];
    for (const Sizes &sizes : all) {
      if (i >= sizes.size())
        continue;
      const Size &size = sizes[sizes.size() - 1 - i];
      if (size.isKnown() && size.bound == 1)
        continue;
      if (result.isKnown() && result.bound == 1) {
        result = size;
        continue;
      }
      if (result.isKnown() && size.isKnown() && result.bound != size.bound)
        return node.error()
               << "has operands whose dimensions of size " << result.bound
               << " and " << size.bound << " do not broadcast";
      // A size of 1 that only the run knows is not repeated.
      auto agreed = agreedSize(node, result, size, "operands");
      if (failed(agreed))
        return failure();
      result = *agreed;
    }
  }
  return common;
}

SmallVector<int64_t> commonBounds(ArrayRef<Size> sizes, ArrayRef<Size> common) {
  SmallVector<int64_t> bounds = boundsOf(sizes);
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!size.isKnown() || size.bound != 1)
      bounds[i] = common[common.size() - sizes.size() + i].bound;
  return bounds;
}

LogicalResult runOnPlaces(Node &node, ArrayRef<Value> places) {
  SmallVector<Traced> operands;
  for (unsigned i = 0; i < node.size(); ++i) {
    operands.push_back(node.traced(i));
    operands.back().extents.clear();
    if (i < places.size())
      operands.back().value = places[i];
  }
  return node.runOn(operands);
}

LogicalResult giveSizes(Node &node, unsigned result, ArrayRef<Size> sizes) {
  Traced *traced = result < node.given.size() ? &node.given[result] : nullptr;
  if (!traced || !traced->value || traced->imaginary ||
      typeOf(traced->value).getShape() != ArrayRef(boundsOf(sizes)))
    return node.unsupported("an operand has a size that is known only at run "
                            "time");
  *traced = withSizes(traced->value, sizes);
  return success();
}

} // namespace weir::tensorflow
