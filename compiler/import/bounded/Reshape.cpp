// Row-major order where sizes are known only at run time.

#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elements.h"
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

/// Whether both shapes have the same open dimensions in the same order, and
/// between them as many elements: then the places are each other's reshape.
static bool keepsPlace(ArrayRef<Size> from, ArrayRef<Size> to) {
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

static Value flat(ImplicitLocOpBuilder &b, Value place) {
  return reshapeTo(b, place, {typeOf(place).getNumElements()});
}

/// Where in row-major order without gaps each element of the place is.
static Expr numbersOf(ImplicitLocOpBuilder &b, ArrayRef<Size> sizes) {
  SmallVector<int64_t> bounds = boundsOf(sizes);
  auto type = RankedTensorType::get(bounds, b.getI64Type());
  Expr result = number(b, 0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    Expr index(b, make<graph::IotaOp>(b, type, static_cast<int64_t>(i)));
    result = result + index * product(b, sizes, i + 1, sizes.size());
  }
  return broadcast(result, bounds);
}

/// The elements with these numbers.
static Value take(ImplicitLocOpBuilder &b, const Traced &traced, Expr rest) {
  Sizes sizes = sizesOf(traced);
  SmallVector<int64_t> strides = graph::stridesOf(boundsOf(sizes));
  Expr place = number(b, 0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    // Nothing is divided by 0 where the tensor is empty.
    Expr stride = maximum(product(b, sizes, i + 1, sizes.size()), number(b, 1));
    Expr index = apply<graph::FloorDivOp>(rest, stride);
    rest = rest - index * stride;
    place = place + index * number(b, strides[i]);
  }
  return make<graph::GatherOp>(b, flat(b, traced.value), place.value, 0, 0);
}

Traced reshapeBounded(ImplicitLocOpBuilder &b, const Traced &traced,
                      ArrayRef<Size> sizes) {
  Sizes from = sizesOf(traced);
  SmallVector<int64_t> bounds = boundsOf(sizes);
  auto type = typeOf(traced.value).clone(bounds);
  if (type.getNumElements() == 0 || typeOf(traced.value).getNumElements() == 0)
    return withSizes(splat(b, type, 0), sizes);
  if (keepsPlace(from, sizes))
    return withSizes(reshapeTo(b, traced.value, bounds), sizes);
  if (isCompact(from) && isCompact(sizes)) {
    Value place = inPlaceOf(b, flat(b, traced.value), {type.getNumElements()});
    return withSizes(reshapeTo(b, place, bounds), sizes);
  }
  return withSizes(take(b, traced, numbersOf(b, sizes)), sizes);
}

Value compact(ImplicitLocOpBuilder &b, const Traced &traced) {
  Sizes sizes = sizesOf(traced);
  RankedTensorType type = typeOf(traced.value);
  if (isCompact(sizes) || type.getNumElements() == 0)
    return traced.value;
  Value all = take(b, traced, iota(b, type.getNumElements()));
  return reshapeTo(b, all, type.getShape());
}

} // namespace weir
