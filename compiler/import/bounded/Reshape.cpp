// Row-major order where sizes are known only at run time.

#include "compiler/import/bounded/Reshape.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir {

/// Whether the elements lie without gaps from the place's start on: then only
/// the first dimension of more than one element may be open.
static bool isCompact(ArrayRef<Size> sizes) {
  bool inside = false;
  for (const Size &size : sizes) {
    if (inside && !size.isKnown())
      return false;
    inside |= !size.isKnown() || size.bound > 1;
  }
  return true;
}

/// Whether both shapes have the same dynamic dimensions in the same order, with
/// as many elements between them. Then one padded buffer is a reshape of the
/// other.
static bool keepsBuffer(ArrayRef<Size> from, ArrayRef<Size> to) {
  size_t i = 0, j = 0;
  auto run = [](ArrayRef<Size> sizes, size_t &at) {
    int64_t count = 1;
    while (at < sizes.size() && sizes[at].isKnown())
      count *= sizes[at++].bound;
    return count;
  };
  while (true) {
    if (run(from, i) != run(to, j))
      return false;
    if (i == from.size() || j == to.size())
      return i == from.size() && j == to.size();
    if (!(from[i++] == to[j++]))
      return false;
  }
}

static Value flat(ImplicitLocOpBuilder &b, Value buffer) {
  return reshapeTo(b, buffer, {typeOf(buffer).getNumElements()});
}

/// The dynamic dimensions and their sizes.
static std::pair<SmallVector<Value>, SmallVector<int64_t>>
dynamicSizes(ArrayRef<Size> sizes) {
  std::pair<SmallVector<Value>, SmallVector<int64_t>> result;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!size.isKnown()) {
      result.first.push_back(size.exact);
      result.second.push_back(static_cast<int64_t>(dim));
    }
  return result;
}

/// The elements without gaps, in one dimension.
static Value compactRun(ImplicitLocOpBuilder &b, const Traced &traced) {
  Sizes sizes = sizesOf(traced);
  if (isCompact(sizes) || typeOf(traced.value).getNumElements() == 0)
    return flat(b, traced.value);
  auto [scalars, dims] = dynamicSizes(sizes);
  return make<graph::CompactOp>(b, traced.value, scalars, dims,
                                /*zeros=*/false);
}

Traced reshapeBounded(ImplicitLocOpBuilder &b, const Traced &traced,
                      ArrayRef<Size> sizes) {
  Sizes from = sizesOf(traced);
  SmallVector<int64_t> bounds = boundsOf(sizes);
  auto type = typeOf(traced.value).clone(bounds);
  if (type.getNumElements() == 0 || typeOf(traced.value).getNumElements() == 0)
    return withSizes(splat(b, type, 0), sizes);
  if (keepsBuffer(from, sizes))
    return withSizes(reshapeTo(b, traced.value, bounds), sizes);
  if (isCompact(from) && isCompact(sizes)) {
    Value buffer = paddedTo(b, flat(b, traced.value), {type.getNumElements()});
    return withSizes(reshapeTo(b, buffer, bounds), sizes);
  }
  Value buffer = paddedTo(b, compactRun(b, traced), {type.getNumElements()});
  if (isCompact(sizes))
    return withSizes(reshapeTo(b, buffer, bounds), sizes);
  auto [scalars, dims] = dynamicSizes(sizes);
  return withSizes(make<graph::SpreadOp>(b, buffer, scalars, dims, bounds,
                                         /*zeros=*/false),
                   sizes);
}

Value compact(ImplicitLocOpBuilder &b, const Traced &traced) {
  if (isCompact(sizesOf(traced)))
    return traced.value;
  return reshapeTo(b, compactRun(b, traced), typeOf(traced.value).getShape());
}

} // namespace weir
