// Convolutions and their transposes.

#include "dialects/graph/build/Windows.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include <numeric>

using namespace mlir;

namespace weir::graph::build {

Expr convolve(Expr x, Expr filter, const Windows &windows, int64_t groups) {
  if (!x || !filter || x.elementType() != filter.elementType() ||
      x.rank() != filter.rank() || x.rank() < 3 || x.rank() > 5 || groups < 1 ||
      x.shape().back() % groups != 0 || filter.shape().back() % groups != 0 ||
      filter.shape().end()[-2] != x.shape().back() / groups)
    return {};
  ImplicitLocOpBuilder &b = *x.b;
  SmallVector<int64_t> shape{x.size(0)};
  bool empty = false;
  for (auto [i, size] : llvm::enumerate(filter.shape().drop_back(2))) {
    auto count =
        graph::windowCount(x.size(static_cast<int64_t>(i) + 1),
                           {size, windows.strides[i], windows.dilations[i],
                            windows.low[i], windows.high[i]});
    empty |= !count;
    shape.push_back(count.value_or(0));
  }
  shape.push_back(filter.shape().back());
  // A sum of no products, or no sums at all.
  if (empty || llvm::is_contained(shape, 0))
    return Expr(b, splat(b, x.type().clone(shape), 0));
  return Expr(b, make<graph::ConvolutionOp>(
                     b, x.value, filter.value, windows.strides, windows.low,
                     windows.high, windows.dilations, groups));
}

// Results with gaps of a stride between them are convolved with the reversed
// filter.
Expr convolveBack(Expr results, Expr filter, ArrayRef<int64_t> images,
                  const Windows &windows, int64_t groups) {
  int64_t spatial = static_cast<int64_t>(windows.size.size());
  if (!results || !filter || filter.rank() != spatial + 2 ||
      results.rank() != spatial + 2 || groups < 1 ||
      filter.shape().back() % groups != 0)
    return {};
  SmallVector<int64_t> dims(spatial);
  std::iota(dims.begin(), dims.end(), 0);
  filter = reverse(filter, dims);
  SmallVector<int64_t> shape(filter.shape()), split = shape;
  split.back() /= groups;
  split.insert(split.end() - 1, groups);
  SmallVector<int64_t> permutation(split.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.end()[-1], permutation.end()[-3]);
  std::swap(shape.end()[-1], shape.end()[-2]);
  shape.end()[-1] *= groups;
  shape.end()[-2] /= groups;
  filter = reshape(transpose(reshape(filter, split), permutation), shape);

  Windows unit = windows;
  SmallVector<int64_t> low(spatial + 2, 0), high = low, interior = low;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t count = windows.counts[i];
    int64_t length = count ? (count - 1) * windows.strides[i] + 1 : 0;
    int64_t reach = (windows.size[i] - 1) * windows.dilations[i];
    low[i + 1] = reach - windows.low[i];
    high[i + 1] = images[i + 1] + reach - length - low[i + 1];
    interior[i + 1] = windows.strides[i] - 1;
    unit.strides[i] = 1;
    unit.low[i] = unit.high[i] = 0;
  }
  // The convolution itself pads what is not cut.
  for (int64_t i = 0; i < spatial; ++i) {
    unit.low[i] = std::max<int64_t>(low[i + 1], 0);
    unit.high[i] = std::max<int64_t>(high[i + 1], 0);
    low[i + 1] = std::min<int64_t>(low[i + 1], 0);
    high[i + 1] = std::min<int64_t>(high[i + 1], 0);
  }
  return convolve(pad(results, low, high, interior), filter, unit, groups);
}

/// The channels of a group become the batch and the batch the channels of that
/// group: N, spatial..., groups, inner -> inner, spatial..., groups, N.
static Expr groupsToBatch(Expr x, int64_t groups) {
  if (!x)
    return {};
  SmallVector<int64_t> shape(x.shape());
  if (groups < 1 || shape.back() % groups != 0)
    return {};
  int64_t inner = shape.back() / groups, batch = shape.front();
  shape.back() = inner;
  shape.insert(shape.end() - 1, groups);
  SmallVector<int64_t> permutation(shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.front(), permutation.back());
  SmallVector<int64_t> joined(x.shape());
  joined.front() = inner;
  joined.back() = groups * batch;
  return reshape(transpose(reshape(x, shape), permutation), joined);
}

// The images, with channels for a batch, are convolved with the results;
// strides and dilations change places.
Expr convolveFilter(Expr x, Expr results, ArrayRef<int64_t> filter,
                    const Windows &windows, int64_t groups) {
  int64_t spatial = static_cast<int64_t>(windows.size.size());
  if (!x || !results || x.rank() != spatial + 2 ||
      results.rank() != spatial + 2)
    return {};
  if (x.type().getNumElements() == 0 || results.type().getNumElements() == 0)
    return Expr(*x.b, splat(*x.b, x.type().clone(filter), 0));
  Windows swapped = windows;
  SmallVector<int64_t> low(spatial + 2, 0), high = low;
  for (int64_t i = 0; i < spatial; ++i) {
    swapped.strides[i] = windows.dilations[i];
    swapped.dilations[i] = windows.strides[i];
    int64_t reach = (windows.counts[i] - 1) * windows.strides[i];
    low[i + 1] = windows.low[i];
    high[i + 1] = (filter[i] - 1) * windows.dilations[i] + reach + 1 -
                  x.size(i + 1) - windows.low[i];
    swapped.low[i] = std::max<int64_t>(low[i + 1], 0);
    swapped.high[i] = std::max<int64_t>(high[i + 1], 0);
    low[i + 1] = std::min<int64_t>(low[i + 1], 0);
    high[i + 1] = std::min<int64_t>(high[i + 1], 0);
  }
  Expr images = groupsToBatch(pad(x, low, high), groups);
  // N, places..., CO -> places..., N, CO
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < spatial; ++i)
    permutation.push_back(i + 1);
  permutation.append({0, spatial + 1});
  // CI, window..., CO -> window..., CI, CO
  Expr gradient =
      convolve(images, transpose(results, permutation), swapped, groups);
  return transpose(gradient, permutation);
}

} // namespace weir::graph::build
