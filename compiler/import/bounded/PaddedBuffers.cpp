// The places of tensors with sizes that are known only at run time: masked, cut
// and moved along a dimension.

#include "compiler/import/bounded/PaddedBuffers.h"

#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir {

Value paddedTo(ImplicitLocOpBuilder &b, Value buffer,
               ArrayRef<int64_t> bounds) {
  SmallVector<int64_t> none(bounds.size(), 0), by(bounds.size(), 1), high(none);
  SmallVector<int64_t> limits;
  bool cut = false, extend = false;
  for (auto [i, size] : llvm::enumerate(typeOf(buffer).getShape())) {
    limits.push_back(std::min(size, bounds[i]));
    high[i] = bounds[i] - limits[i];
    cut |= limits[i] < size;
    extend |= high[i] > 0;
  }
  if (cut)
    buffer = make<graph::SliceOp>(b, buffer, none, limits, by);
  if (!extend)
    return buffer;
  Value zero =
      splat(b, RankedTensorType::get({}, typeOf(buffer).getElementType()), 0);
  return make<graph::PadOp>(b, buffer, zero, none, high, none);
}

Expr iota(ImplicitLocOpBuilder &b, int64_t count) {
  auto type = RankedTensorType::get({count}, b.getI64Type());
  return Expr(b, make<graph::IotaOp>(b, type, 0));
}

Expr within(ImplicitLocOpBuilder &b, Size size) {
  Expr indices = iota(b, size.bound), end = exactly(b, size);
  // Numbers as wide as most elements share their vectors.
  if (size.bound <= std::numeric_limits<int32_t>::max()) {
    auto type = RankedTensorType::get({size.bound}, b.getI32Type());
    indices = Expr(b, make<graph::IotaOp>(b, type, 0));
    end = cast(end, b.getI32Type());
  }
  return apply<graph::LessOp>(indices, end);
}

Expr masked(ImplicitLocOpBuilder &b, const Traced &traced, Expr fill,
            ArrayRef<int64_t> dims) {
  Expr x(b, traced.value), mask;
  Sizes sizes = sizesOf(traced);
  for (int64_t dim : dims) {
    if (sizes[dim].isKnown())
      continue;
    SmallVector<int64_t> shape(x.rank(), 1);
    shape[dim] = sizes[dim].bound;
    Expr one = reshape(within(b, sizes[dim]), shape);
    mask = mask ? apply<graph::LogicalAndOp>(mask, one) : one;
  }
  return mask ? select(mask, x, fill) : x;
}

Expr masked(ImplicitLocOpBuilder &b, const Traced &traced, double fill) {
  Expr x(b, traced.value);
  return masked(b, traced, x.like(fill),
                llvm::to_vector(llvm::seq<int64_t>(0, x.rank())));
}

void zeroBeyond(ImplicitLocOpBuilder &b, Traced &traced) {
  for (Value *part : {&traced.value, &traced.imaginary})
    if (*part && traced.isBounded())
      *part = masked(b, {*part, {}, nullptr, traced.extents}, 0).value;
}

Expr identityOf(ImplicitLocOpBuilder &b, graph::Reduction kind,
                Type elementType) {
  TypedAttr value = graph::identityOf(kind, elementType);
  auto type = RankedTensorType::get({}, elementType);
  if (auto number = dyn_cast<FloatAttr>(value))
    return Expr(b, splat(b, type, number.getValueAsDouble()));
  return Expr(b, b.create<graph::ConstantOp>(DenseElementsAttr::get(
                     type, llvm::cast<IntegerAttr>(value).getValue())));
}

Traced takeAlong(ImplicitLocOpBuilder &b, const Traced &traced, int64_t dim,
                 Expr indices, Size size) {
  Sizes sizes = sizesOf(traced);
  bool isEmpty = sizes[dim].bound == 0;
  sizes[dim] = size;
  Value buffer;
  if (isEmpty || size.bound == 0)
    buffer = splat(b, typeOf(traced.value).clone(boundsOf(sizes)), 0);
  else
    buffer = gather(Expr(b, traced.value), indices, dim).value;
  return withSizes(buffer, sizes);
}

Traced windowOf(ImplicitLocOpBuilder &b, const Traced &traced, int64_t dim,
                Expr begin, Size size) {
  std::optional<int64_t> known = knownNumber(begin.value);
  if (!known)
    return takeAlong(b, traced, dim, iota(b, size.bound) + begin, size);
  Expr x(b, traced.value);
  int64_t start = std::clamp<int64_t>(*known, 0, x.size(dim));
  int64_t count = std::min(size.bound, x.size(dim) - start);
  Sizes sizes = sizesOf(traced);
  sizes[dim] = size;
  Value buffer = slice(x, dim, start, count).value;
  return withSizes(paddedTo(b, buffer, boundsOf(sizes)), sizes);
}

Traced partAt(ImplicitLocOpBuilder &b, const Traced &traced, int64_t dim,
              Value i) {
  Sizes sizes = sizesOf(traced);
  SmallVector<Value> starts(sizes.size(), splat(b, typeOf(i), 0));
  starts[dim] = i;
  sizes[dim] = {1, {}};
  Value part =
      make<graph::DynamicSliceOp>(b, traced.value, starts, boundsOf(sizes));
  sizes.erase(sizes.begin() + dim);
  return withSizes(part ? reshapeTo(b, part, boundsOf(sizes)) : part, sizes);
}

Traced withFront(ImplicitLocOpBuilder &b, const Traced &traced) {
  Sizes sizes = sizesOf(traced);
  sizes.insert(sizes.begin(), Size{1, {}});
  return withSizes(reshapeTo(b, traced.value, boundsOf(sizes)), sizes);
}

} // namespace weir
