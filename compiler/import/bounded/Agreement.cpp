// Operands whose sizes must agree, and results of a node's own handler, where
// sizes are known only at run time.

#include "compiler/import/bounded/Agreement.h"

#include "compiler/import/bounded/Polynomial.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"

using namespace mlir;

namespace weir {

FailureOr<Size> agreedSize(TracedNode &node, Size x, Size y, const Twine &what,
                           const Twine &hint) {
  if (x == y)
    return x;
  if (x.isKnown() && y.isKnown())
    return node.error() << "has " << what.str() << " of size " << x.bound
                        << " and " << y.bound;
  if (!isSame(x.exact, y.exact))
    require(node, apply<graph::EqualOp>(exactly(node.b, x), exactly(node.b, y)),
            what + " differ in size" + hint);
  const Size &known = x.isKnown() ? x : y, &open = x.isKnown() ? y : x;
  if (known.isKnown() && known.bound > open.bound)
    return node.error() << "has " << what.str() << " of size " << known.bound
                        << " and of at most " << open.bound;
  return x.isKnown() || (!y.isKnown() && x.bound <= y.bound) ? x : y;
}

static bool isOne(const Size &size) {
  return size.isKnown() && size.bound == 1;
}

FailureOr<Sizes> commonSizes(TracedNode &node, ArrayRef<Sizes> all) {
  size_t rank = 0;
  for (const Sizes &sizes : all)
    rank = std::max(rank, sizes.size());
  Sizes common(rank, Size{1, {}});
  for (size_t dim = 0; dim < rank; ++dim) {
    Size &result = common[dim];
    std::string what = "operands along dimension " + std::to_string(dim);
    auto join = [&](const Size &size) -> LogicalResult {
      if (isOne(size))
        return success();
      if (isOne(result)) {
        result = size;
        return success();
      }
      if (result.isKnown() && !size.isKnown() && size.bound < result.bound) {
        require(node,
                apply<graph::EqualOp>(exactly(node.b, size), number(node.b, 1)),
                what + " are neither of one size nor of size 1");
        return success();
      }
      auto agreed = agreedSize(node, result, size, what,
                               ", and one of size 1 is repeated only where "
                               "that is known at compile time");
      if (failed(agreed))
        return failure();
      result = *agreed;
      return success();
    };
    // Known sizes come first: they may require a dynamic size to be 1.
    for (bool isKnown : {true, false})
      for (const Sizes &sizes : all) {
        size_t missing = rank - sizes.size();
        if (dim < missing)
          continue;
        const Size &size = sizes[dim - missing];
        if (size.isKnown() == isKnown && failed(join(size)))
          return failure();
      }
  }
  return common;
}

SmallVector<int64_t> commonBounds(ArrayRef<Size> sizes, ArrayRef<Size> common) {
  SmallVector<int64_t> bounds;
  for (auto [size, shared] :
       llvm::zip_equal(sizes, common.take_back(sizes.size()))) {
    bool mustBeOne = shared.isKnown() && size.bound < shared.bound;
    bounds.push_back(isOne(size) || mustBeOne ? 1 : shared.bound);
  }
  return bounds;
}

LogicalResult runOnPaddedBuffers(TracedNode &node, ArrayRef<Value> buffers) {
  SmallVector<Traced> operands;
  for (unsigned i = 0; i < node.size(); ++i) {
    operands.push_back(node.traced(i));
    operands.back().extents.clear();
    if (i < buffers.size())
      operands.back().value = buffers[i];
  }
  return node.runOn(operands);
}

Value splatBound(TracedNode &node, unsigned i, const Size &size) {
  return splat(node.b, node.type(i), static_cast<double>(size.bound));
}

LogicalResult giveSizes(TracedNode &node, unsigned result,
                        ArrayRef<Size> sizes) {
  Traced *traced = result < node.given.size() ? &node.given[result] : nullptr;
  if (!traced || !traced->value || traced->imaginary ||
      typeOf(traced->value).getShape() != ArrayRef(boundsOf(sizes)))
    return node.unsupported("an operand has a size that is known only at run "
                            "time");
  *traced = withSizes(traced->value, sizes);
  return success();
}

} // namespace weir
