// Builds convolutions and gradients by their filters.

#include "dialects/graph/build/Windows.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include <array>
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
  // The sum has no terms, or the result has no elements.
  if (empty || llvm::is_contained(shape, 0))
    return Expr(b, splat(b, x.type().clone(shape), 0));
  return Expr(b, make<graph::ConvolutionOp>(
                     b, x.value, filter.value, windows.strides, windows.low,
                     windows.high, windows.dilations, groups));
}

/// Swaps the batch with the channels of a group: N, spatial..., groups, inner
/// -> inner, spatial..., groups, N.
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

/// For each pair of adjacent positions along `dim`, the sums of pixels that the
/// products need. `signs` has a row for each product.
static SmallVector<Expr> signedSums(Expr x, int64_t dim, int64_t pairs,
                                    ArrayRef<std::array<int, 4>> signs) {
  SmallVector<Expr> sums;
  for (const std::array<int, 4> &row : signs) {
    Expr sum;
    // Positive terms come first.
    for (int sign : {1, -1})
      for (int64_t i = 0; i < 4; ++i) {
        if (row[i] != sign)
          continue;
        Expr term = slice(x, dim, i, pairs, 2);
        sum = !sum ? term : sign > 0 ? sum + term : sum - term;
      }
    sums.push_back(sum);
  }
  return sums;
}

/// The sums along both axes, as one matrix of pairs by channels for each
/// product.
static Expr signedSquares(Expr x, int64_t tall, int64_t wide,
                          ArrayRef<std::array<int, 4>> signs) {
  SmallVector<Expr> all;
  SmallVector<int64_t> matrix{1, x.size(0) * tall * wide, x.size(3)};
  for (Expr rows : signedSums(x, 1, tall, signs))
    for (Expr square : signedSums(rows, 2, wide, signs))
      all.push_back(reshape(square, matrix));
  return concat(all, 0);
}

/// Whether the saved products outweigh the sums.
static bool isWorthSums(Expr x, Expr results, ArrayRef<int64_t> filter,
                        const Windows &windows, int64_t groups) {
  auto are = [](ArrayRef<int64_t> values, int64_t wanted) {
    return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
  };
  // The number of elements that a sum moves, against products of each pair.
  constexpr int64_t minProducts = 48, minPairs = 48;
  int64_t inputs = x.shape().back(), outputs = results.shape().back();
  return x.rank() == 4 && groups == 1 && x.elementType().isF32() &&
         are(filter.take_front(2), 3) && are(windows.strides, 1) &&
         are(windows.dilations, 1) &&
         inputs >= minProducts * (1 + inputs / outputs) &&
         x.size(0) * windows.counts[0] * windows.counts[1] >= 4 * minPairs;
}

/// A Winograd convolution by tiles of 2 x 2 results, for the nine elements of
/// the filter's gradient (Lavin and Gray, "Fast Algorithms for Convolutional
/// Neural Networks"). A tile takes 16 products of sums of 4 x 4 pixels and of 2
/// x 2 results instead of 36. Matrix products sum them over all tiles.
static Expr convolveFilterBySums(Expr x, Expr results, ArrayRef<int64_t> filter,
                                 const Windows &windows) {
  static constexpr std::array<int, 4> pixels[] = {
      {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, -1, 0, 1}};
  static constexpr std::array<int, 4> pairs[] = {
      {1, 0, 0, 0}, {1, 1, 0, 0}, {1, -1, 0, 0}, {0, 1, 0, 0}};
  static constexpr double taps[3][4] = {
      {1, .5, .5, 0}, {0, .5, -.5, 0}, {0, .5, .5, 1}};
  int64_t tall = (windows.counts[0] + 1) / 2,
          wide = (windows.counts[1] + 1) / 2;
  ArrayRef<int64_t> low = windows.low;
  // The last pair may have only one result.
  results = pad(results, {0, 0, 0, 0},
                {0, 2 * tall - results.size(1), 2 * wide - results.size(2), 0});
  x = pad(x, {0, low[0], low[1], 0},
          {0, 2 * tall + 2 - x.size(1) - low[0],
           2 * wide + 2 - x.size(2) - low[1], 0});
  Expr products = matmul(signedSquares(x, tall, wide, pixels),
                         signedSquares(results, tall, wide, pairs), true);
  if (!products)
    return {};
  SmallVector<double> ofProducts;
  for (const auto &down : taps)
    for (const auto &across : taps)
      for (double y : down)
        for (double z : across)
          ofProducts.push_back(y * z);
  Expr sums = constant(*x.b, x.elementType(), {9, 16}, ofProducts);
  int64_t elements = filter[2] * filter[3];
  return reshape(matmul(sums, reshape(products, {16, elements})), filter);
}

Expr channelsOfFiltersLast(Expr filters) {
  SmallVector<int64_t> permutation;
  for (int64_t i = 1; i < filters.rank(); ++i)
    permutation.push_back(i);
  permutation.push_back(0);
  return transpose(filters, permutation);
}

/// Whether a `graph.filter_gradient` has a result of that shape.
static bool isFilterGradient(Expr x, Expr results, ArrayRef<int64_t> filter,
                             const Windows &windows, int64_t groups) {
  ArrayRef<int64_t> images = x.shape(), positions = results.shape();
  if (x.elementType() != results.elementType() || x.rank() > 5 ||
      images.front() != positions.front() || groups < 1 ||
      images.back() % groups != 0 || positions.back() % groups != 0 ||
      int64_t(filter.size()) != x.rank() ||
      filter.end()[-2] != images.back() / groups ||
      filter.back() != positions.back())
    return false;
  for (size_t i = 0; i < windows.size.size(); ++i)
    if (filter[i] != windows.size[i] || positions[i + 1] != windows.counts[i] ||
        !graph::paddingBehind(images[i + 1],
                              {filter[i], windows.strides[i],
                               windows.dilations[i], windows.low[i], 0},
                              windows.counts[i]))
      return false;
  return true;
}

Expr convolveFilter(Expr x, Expr results, ArrayRef<int64_t> filter,
                    const Windows &windows, int64_t groups) {
  int64_t spatial = static_cast<int64_t>(windows.size.size());
  if (!x || !results || spatial < 1 || x.rank() != spatial + 2 ||
      results.rank() != spatial + 2)
    return {};
  if (x.type().getNumElements() == 0 || results.type().getNumElements() == 0)
    return Expr(*x.b, splat(*x.b, x.type().clone(filter), 0));
  if (!isFilterGradient(x, results, filter, windows, groups))
    return convolveFilterByConvolution(x, results, filter, windows, groups);
  return channelsOfFiltersLast(
      Expr(*x.b, make<graph::FilterGradientOp>(
                     *x.b, x.value, results.value, windows.size,
                     windows.strides, windows.low, windows.dilations, groups)));
}

// Convolves the images with the results, with the channels as the batch.
// Strides and dilations are swapped.
Expr convolveFilterByConvolution(Expr x, Expr results, ArrayRef<int64_t> filter,
                                 const Windows &windows, int64_t groups) {
  int64_t spatial = static_cast<int64_t>(windows.size.size());
  if (isWorthSums(x, results, filter, windows, groups))
    return convolveFilterBySums(x, results, filter, windows);
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
  // N, positions..., CO -> positions..., N, CO
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
