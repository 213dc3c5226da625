// Convolutions and their transposes.

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
  // A sum of no products, or no sums at all.
  if (empty || llvm::is_contained(shape, 0))
    return Expr(b, splat(b, x.type().clone(shape), 0));
  return Expr(b, make<graph::ConvolutionOp>(
                     b, x.value, filter.value, windows.strides, windows.low,
                     windows.high, windows.dilations, groups));
}

/// Filters whose channels change places within their groups: window..., inner,
/// groups * outer -> window..., outer, groups * inner.
static Expr swapChannels(Expr filter, int64_t groups) {
  SmallVector<int64_t> shape(filter.shape()), split = shape;
  split.back() /= groups;
  split.insert(split.end() - 1, groups);
  SmallVector<int64_t> permutation(split.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.end()[-1], permutation.end()[-3]);
  std::swap(shape.end()[-1], shape.end()[-2]);
  shape.end()[-1] *= groups;
  shape.end()[-2] /= groups;
  return reshape(transpose(reshape(filter, split), permutation), shape);
}

namespace {

/// The places that a stride tells apart have filters of their own, each of some
/// of the taps, and results of unit strides which take turns.
class Phases {
public:
  /// `filter` as it is, but for its channels, which have changed places.
  Phases(Expr results, Expr filter, ArrayRef<int64_t> images,
         const Windows &windows, int64_t groups)
      : results(results), filter(filter), images(images), windows(windows),
        groups(groups), unit(windows) {
    unit.strides.assign(windows.size.size(), 1);
  }

  /// Whether strides leave taps apart, as dilations do not.
  static bool areWorth(const Windows &windows) {
    bool any = false;
    for (auto [stride, dilation] :
         llvm::zip_equal(windows.strides, windows.dilations)) {
      any |= stride > 1;
      if (stride > 8 || (stride > 1 && dilation != 1))
        return false;
    }
    return any;
  }

  /// All images from dimension `i` of the window on, the phases before chosen.
  Expr all(int64_t i = 0) {
    if (i == static_cast<int64_t>(windows.size.size()))
      return convolve(pad(results, low, high), filter, unit, groups);
    int64_t stride = windows.strides[i], extent = images[i + 1];
    if (stride == 1) {
      int64_t reach = (windows.size[i] - 1) * windows.dilations[i];
      choose(i, 0, windows.size[i], 1, extent, reach - windows.low[i]);
      return all(i + 1);
    }
    int64_t places = (extent + stride - 1) / stride;
    Expr whole = filter;
    SmallVector<Expr> phases;
    for (int64_t phase = 0; phase < stride; ++phase) {
      int64_t place = phase + windows.low[i], first = place % stride;
      int64_t taps =
          std::max<int64_t>(0, (windows.size[i] - first + stride - 1) / stride);
      filter = whole;
      if (taps) {
        choose(i, first, taps, stride, places, taps - 1 - place / stride);
        Expr phaseOf = all(i + 1);
        if (!phaseOf)
          return {};
        phases.push_back(phaseOf);
      } else {
        phases.push_back({});
      }
    }
    filter = whole;
    return takeTurns(phases, i + 1, extent);
  }

private:
  /// Takes `count` taps of dimension `i` in reverse, and margins for as many
  /// results as `places` from `before` in front of the first on.
  void choose(int64_t i, int64_t first, int64_t count, int64_t step,
              int64_t places, int64_t before) {
    filter = slice(filter, i, first, count, step);
    filter = reverse(filter, {i});
    int64_t dilation = unit.dilations[i];
    int64_t after =
        places + (count - 1) * dilation - windows.counts[i] - before;
    unit.low[i] = std::max<int64_t>(before, 0);
    unit.high[i] = std::max<int64_t>(after, 0);
    low.resize(results.rank(), 0);
    high.resize(results.rank(), 0);
    low[i + 1] = std::min<int64_t>(before, 0);
    high[i + 1] = std::min<int64_t>(after, 0);
  }

  /// The images whose elements along `dim` are of each phase in turn; a phase
  /// that no tap is of is zeros.
  Expr takeTurns(MutableArrayRef<Expr> phases, int64_t dim, int64_t extent) {
    auto *some = llvm::find_if(phases, [](Expr phase) { return bool(phase); });
    if (some == phases.end())
      return {};
    RankedTensorType type = some->type();
    SmallVector<int64_t> apart(type.getShape()), joined = apart;
    apart.insert(apart.begin() + dim + 1, 1);
    joined[dim] *= static_cast<int64_t>(phases.size());
    ImplicitLocOpBuilder &b = *results.b;
    for (Expr &phase : phases)
      phase = phase ? reshape(phase, apart)
                    : Expr(b, splat(b, type.clone(apart), 0));
    return slice(reshape(concat(phases, dim + 1), joined), dim, 0, extent);
  }

  Expr results, filter;
  ArrayRef<int64_t> images;
  const Windows &windows;
  int64_t groups;
  Windows unit;
  SmallVector<int64_t> low, high; // what is cut of the results, below zero
};

} // namespace

// Results with gaps of a stride between them are convolved with the reversed
// filter; where the gaps meet the same taps, these are left out.
Expr convolveBack(Expr results, Expr filter, ArrayRef<int64_t> images,
                  const Windows &windows, int64_t groups) {
  int64_t spatial = static_cast<int64_t>(windows.size.size());
  if (!results || !filter || filter.rank() != spatial + 2 ||
      results.rank() != spatial + 2 || groups < 1 ||
      filter.shape().back() % groups != 0)
    return {};
  filter = swapChannels(filter, groups);
  if (Phases::areWorth(windows) && filter &&
      !llvm::is_contained(windows.counts, 0) && !llvm::is_contained(images, 0))
    return Phases(results, filter, images, windows, groups).all();
  SmallVector<int64_t> dims(spatial);
  std::iota(dims.begin(), dims.end(), 0);
  filter = reverse(filter, dims);

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

/// Of each pair of places along `dim`, the sum of some of the pixels from its
/// first on that each product takes: `signs` has a row for each product.
static SmallVector<Expr> signedSums(Expr x, int64_t dim, int64_t pairs,
                                    ArrayRef<std::array<int, 4>> signs) {
  SmallVector<Expr> sums;
  for (const std::array<int, 4> &row : signs) {
    Expr sum;
    // What is added comes first.
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

/// The sums of both axes for all pairs of rows and of columns, one matrix of
/// pairs by channels for each product.
static Expr signedSquares(Expr x, int64_t tall, int64_t wide,
                          ArrayRef<std::array<int, 4>> signs) {
  SmallVector<Expr> all;
  SmallVector<int64_t> matrix{1, x.size(0) * tall * wide, x.size(3)};
  for (Expr rows : signedSums(x, 1, tall, signs))
    for (Expr square : signedSums(rows, 2, wide, signs))
      all.push_back(reshape(square, matrix));
  return concat(all, 0);
}

/// Whether fewer products are worth the sums before and behind them.
static bool isWorthSums(Expr x, Expr results, ArrayRef<int64_t> filter,
                        const Windows &windows, int64_t groups) {
  auto are = [](ArrayRef<int64_t> values, int64_t wanted) {
    return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
  };
  // Elements of both that a sum moves, against products of each pair.
  constexpr int64_t leastProducts = 48, leastPairs = 48;
  int64_t inputs = x.shape().back(), outputs = results.shape().back();
  return x.rank() == 4 && groups == 1 && x.elementType().isF32() &&
         are(filter.take_front(2), 3) && are(windows.strides, 1) &&
         are(windows.dilations, 1) &&
         inputs >= leastProducts * (1 + inputs / outputs) &&
         x.size(0) * windows.counts[0] * windows.counts[1] >= 4 * leastPairs;
}

/// Minimal filtering where the results are two by two of the filter's nine
/// places (Lavin and Gray, "Fast Algorithms for Convolutional Neural
/// Networks"): 16 products of sums of 4 x 4 pixels and of 2 x 2 results, added
/// up over all such squares as products of matrices, instead of 36.
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
  // The last pair may be of one result and nothing.
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

/// Whether a `graph.filter_gradient` gives a filter of that shape.
static bool isFilterGradient(Expr x, Expr results, ArrayRef<int64_t> filter,
                             const Windows &windows, int64_t groups) {
  ArrayRef<int64_t> images = x.shape(), places = results.shape();
  if (x.elementType() != results.elementType() || x.rank() > 5 ||
      images.front() != places.front() || groups < 1 ||
      images.back() % groups != 0 || places.back() % groups != 0 ||
      int64_t(filter.size()) != x.rank() ||
      filter.end()[-2] != images.back() / groups ||
      filter.back() != places.back())
    return false;
  for (size_t i = 0; i < windows.size.size(); ++i)
    if (filter[i] != windows.size[i] || places[i + 1] != windows.counts[i] ||
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

// The images, with channels for a batch, are convolved with the results;
// strides and dilations change places.
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
