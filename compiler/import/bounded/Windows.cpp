// Windows over images whose size is known only at run time.

#include "compiler/import/bounded/Windows.h"

#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir {

Expr Along::count(ImplicitLocOpBuilder &b, int64_t margins) const {
  Expr positions = exactly(b, size) + number(b, margins + stride - reach);
  return maximum(apply<graph::FloorDivOp>(positions, number(b, stride)),
                 number(b, 0));
}

Expr Along::shift(ImplicitLocOpBuilder &b) const {
  Expr n = exactly(b, size), one = number(b, 1), by = number(b, stride);
  Expr rest = n - apply<graph::FloorDivOp>(n - one, by) * by;
  Expr total = maximum(number(b, reach) - rest, number(b, 0));
  Expr half = apply<graph::FloorDivOp>(total, number(b, 2));
  return (moreBefore ? total - half : half) - number(b, before(stride));
}

Expr filledBehind(Expr x, const Sizes &sizes, ArrayRef<Along> windows,
                  Expr fill) {
  ImplicitLocOpBuilder &b = *x.b;
  for (const Along &along : windows) {
    const Size &size = sizes[along.dim];
    if (along.reach > 1 && !size.isKnown())
      x.value = make<graph::FillBeyondOp>(
          b, x.value, size.exact, fill.value, static_cast<uint64_t>(along.dim),
          static_cast<uint64_t>(std::min(along.behind(), size.bound)));
  }
  return x;
}

Expr shifted(Expr x, const Along &along, Expr fill) {
  ImplicitLocOpBuilder &b = *x.b;
  int64_t most = along.maxShift(), bound = x.size(along.dim);
  if (most <= 0 || bound == 0)
    return x;
  int64_t whole = llvm::divideCeil(bound, along.stride) * along.stride;
  SmallVector<int64_t> low(x.rank(), 0), high = low, none = low;
  low[along.dim] = most;
  high[along.dim] = whole - bound;
  Value wide = make<graph::PadOp>(b, x.value, fill.value, low, high, none);
  SmallVector<Value> starts(x.rank(), number(b, 0).value);
  starts[along.dim] = (number(b, most) - along.shift(b)).value;
  SmallVector<int64_t> sizes(x.shape());
  sizes[along.dim] = whole;
  return Expr(b, make<graph::DynamicSliceOp>(b, wide, starts, sizes));
}

} // namespace weir
