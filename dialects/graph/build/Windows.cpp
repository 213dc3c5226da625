// Counts windows and builds pools.

#include "dialects/graph/build/Windows.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace weir::graph::build {

SmallVector<int64_t> Windows::resultShape(Expr x) const {
  SmallVector<int64_t> shape{x.size(0)};
  llvm::append_range(shape, counts);
  shape.push_back(x.shape().back());
  return shape;
}

Windows windowsOf(FilterGradientOp op) {
  auto counts = op.getResults().getType().getShape().drop_front().drop_back();
  Windows windows{SmallVector<int64_t>(op.getWindow()),
                  SmallVector<int64_t>(op.getStrides()),
                  SmallVector<int64_t>(op.getDilations()),
                  SmallVector<int64_t>(op.getPaddingLow()),
                  {},
                  SmallVector<int64_t>(counts)};
  for (auto [i, size] : llvm::enumerate(windows.size))
    windows.high.push_back(std::max<int64_t>(
        paddingBehind(
            op.getX().getType().getDimSize(i + 1),
            {size, windows.strides[i], windows.dilations[i], windows.low[i], 0},
            counts[i])
            .value_or(0),
        0));
  return windows;
}

LogicalResult checkWindows(ReportError error, const Windows &windows) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  for (auto [size, stride, dilation] :
       llvm::zip_equal(windows.size, windows.strides, windows.dilations)) {
    int64_t reach;
    if (size < 1 || stride < 1 || stride > most || dilation < 1 ||
        dilation > most || llvm::MulOverflow(size - 1, dilation, reach))
      return error() << "windows of " << size << " with stride " << stride
                     << " and dilation " << dilation;
  }
  return success();
}

LogicalResult padToStrides(ReportError error, Windows &windows,
                           ArrayRef<int64_t> extents, bool moreBefore) {
  windows.low.clear();
  windows.high.clear();
  for (auto [i, extent] : llvm::enumerate(extents)) {
    int64_t stride = windows.strides[i], needed = 0;
    if (extent > 0) {
      int64_t reach = (windows.size[i] - 1) * windows.dilations[i];
      int64_t last = (extent - 1) / stride * stride;
      if (llvm::AddOverflow(last - extent + 1, reach, needed))
        return error() << "windows reach over " << reach << " elements";
      needed = std::max<int64_t>(needed, 0);
    }
    windows.low.push_back(moreBefore ? needed - needed / 2 : needed / 2);
    windows.high.push_back(needed - windows.low.back());
  }
  return success();
}

LogicalResult countWindows(ReportError error, Windows &windows,
                           ArrayRef<int64_t> extents) {
  windows.counts.clear();
  for (auto [i, extent] : llvm::enumerate(extents)) {
    int64_t low = windows.low[i], high = windows.high[i];
    std::optional<int64_t> count =
        graph::windowCount(extent, {windows.size[i], windows.strides[i],
                                    windows.dilations[i], low, high});
    // An image without elements has no windows.
    if (!count && extent == 0 && low >= 0 && high >= 0)
      count = 0;
    if (!count)
      return error() << "a window of " << windows.size[i]
                     << " does not fit into " << extent << " elements";
    windows.counts.push_back(*count);
  }
  return success();
}

Expr channelsLast(Expr x) {
  if (!x || x.rank() < 2)
    return {};
  SmallVector<int64_t> permutation{0};
  for (int64_t i = 2; i < x.rank(); ++i)
    permutation.push_back(i);
  permutation.push_back(1);
  return transpose(x, permutation);
}

Expr channelsFirst(Expr x) {
  if (!x || x.rank() < 2)
    return {};
  SmallVector<int64_t> permutation{0, x.rank() - 1};
  for (int64_t i = 1; i < x.rank() - 1; ++i)
    permutation.push_back(i);
  return transpose(x, permutation);
}

template <typename Op, typename... Attributes>
static Expr pool(Expr x, const Windows &windows, Attributes... more) {
  if (!x || x.rank() < 3 || x.rank() > 5)
    return {};
  ImplicitLocOpBuilder &b = *x.b;
  SmallVector<int64_t> shape = windows.resultShape(x);
  if (llvm::is_contained(shape, 0)) {
    Type element = std::is_same_v<Op, graph::PoolArgMaxOp> ? b.getI64Type()
                                                           : x.elementType();
    return Expr(b, splat(b, RankedTensorType::get(shape, element), 0));
  }
  return Expr(b, make<Op>(b, x.value, windows.size, windows.strides,
                          windows.low, windows.high, more...));
}

Expr poolMax(Expr x, const Windows &windows) {
  return pool<graph::PoolMaxOp>(x, windows);
}
Expr poolAverage(Expr x, const Windows &windows) {
  return pool<graph::PoolAverageOp>(x, windows, /*counts_padding=*/false);
}
Expr poolAverageWithMargins(Expr x, const Windows &windows) {
  return pool<graph::PoolAverageOp>(x, windows, /*counts_padding=*/true);
}
Expr poolArgMax(Expr x, const Windows &windows) {
  return pool<graph::PoolArgMaxOp>(x, windows);
}

} // namespace weir::graph::build
