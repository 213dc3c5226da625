// The known Winograd transforms along one axis, and their combination for two.
//
// A window is divided by the phases of the stride, and then into short runs of
// taps, each with a transform of its own. All transforms with equally many
// results share their sums. They evaluate a polynomial at 0, 1, -1 and
// infinity, and for four results also at the imaginary unit, where a complex
// product takes three real ones. With these points no pixel is scaled.

#include "dialects/kernel/WinogradTransform.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace weir::kernel {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using Product = WinogradAxis::Product;

enum Sum { AtZero, AtOne, AtInfinity, AtMinusOne, First, Second, Third };

// Of a run of taps: pixels and taps are counted from its first.
ArrayRef<Product> runOf(int64_t results, int64_t taps) {
  static const Product one1[] = {{AtZero, {1}, {1}}};
  static const Product two1[] = {{AtZero, {1, 0}, {1}},
                                 {AtInfinity, {0, 1}, {1}}};
  static const Product two2[] = {{AtZero, {1, -1, 0}, {1, 0}},
                                 {AtOne, {0, 1, 0}, {1, 1}},
                                 {AtInfinity, {0, -1, 1}, {0, 1}}};
  static const Product two3[] = {{AtZero, {1, 0, -1, 0}, {1, 0, 0}},
                                 {AtOne, {0, 1, 1, 0}, {.5, .5, .5}},
                                 {AtMinusOne, {0, -1, 1, 0}, {.5, -.5, .5}},
                                 {AtInfinity, {0, -1, 0, 1}, {0, 0, 1}}};
  static const Product four3[] = {
      {AtZero, {1, 0, 0, 0, -1, 0}, {1, 0, 0}},
      {AtOne, {0, 1, 1, 1, 1, 0}, {.25, .25, .25}},
      {AtMinusOne, {0, -1, 1, -1, 1, 0}, {.25, -.25, .25}},
      {AtInfinity, {0, -1, 0, 0, 0, 1}, {0, 0, 1}},
      {First, {0, 1, -1, -1, 1, 0}, {.5, .5, -.5}},
      {Second, {0, 1, 0, -1, 0, 0}, {.5, 0, -.5}},
      {Third, {0, 0, 1, 0, -1, 0}, {0, .5, 0}}};
  if (results == 1 && taps == 1)
    return one1;
  if (results == 2 && taps == 1)
    return two1;
  if (results == 2 && taps == 2)
    return two2;
  if (results == 2 && taps == 3)
    return two3;
  if (results == 4 && taps == 3)
    return four3;
  return {};
}

// What a result is of the sums, and which of these it takes together.
constexpr int ofSums1[1][1] = {{1}};
constexpr int ofSums2[2][4] = {{1, 1, 0, 1}, {0, 1, 1, -1}};
constexpr int ofSums4[4][7] = {{1, 1, 0, 1, 1, -1, 1},
                               {0, 1, 0, -1, 0, 1, 1},
                               {0, 1, 0, 1, -1, 1, -1},
                               {0, 1, 1, -1, 0, -1, -1}};
constexpr int classOf[] = {0, 1, 3, 1, 2, 2, 2};

// The next run of so many taps: as few products as can be.
int64_t nextRun(int64_t taps) {
  return taps == 4 ? 2 : std::min<int64_t>(taps, 3);
}

} // namespace

std::optional<WinogradAxis> WinogradAxis::of(int64_t results, int64_t window,
                                             int64_t stride) {
  // An axis of one tap saves nothing, but the other may.
  bool isOne = results == 1 && window == 1;
  if ((results != 2 && results != 4 && !isOne) || window < 1 || window > 16 ||
      stride < 1 || stride > window)
    return std::nullopt;
  WinogradAxis filter{results, window, stride, {}, {}, {}, {}};
  int64_t reach = filter.reach();
  for (int64_t phase = 0; phase < stride; ++phase) {
    int64_t taps = (window - phase + stride - 1) / stride;
    for (int64_t first = 0; first < taps;) {
      int64_t count = nextRun(taps - first);
      ArrayRef<Product> run = runOf(results, count);
      if (run.empty())
        return std::nullopt;
      for (const Product &part : run) {
        Product product{part.sum, SmallVector<int>(reach),
                        SmallVector<double>(window)};
        for (auto [i, sign] : llvm::enumerate(part.pixels))
          if (sign)
            product.pixels[phase + (first + int64_t(i)) * stride] = sign;
        for (auto [i, factor] : llvm::enumerate(part.taps))
          product.taps[phase + (first + int64_t(i)) * stride] = factor;
        filter.products.push_back(product);
      }
      first += count;
    }
  }
  for (int64_t i = 0; i < reach; ++i)
    filter.pixelClasses.push_back(int(i / stride % 2));

  // Sums that no product is in do not exist.
  SmallVector<int64_t> positions(7, -1);
  filter.ofSums.resize(results);
  for (int64_t sum = 0; sum < 7; ++sum) {
    if (llvm::none_of(filter.products, [&](const Product &product) {
          return product.sum == sum;
        }))
      continue;
    positions[sum] = filter.sums();
    filter.sumClasses.push_back(classOf[sum]);
    for (int64_t i = 0; i < results; ++i)
      filter.ofSums[i].push_back(results == 1   ? ofSums1[i][sum]
                                 : results == 2 ? ofSums2[i][sum]
                                                : ofSums4[i][sum]);
  }
  for (Product &product : filter.products)
    product.sum = positions[product.sum];
  return filter;
}

const WinogradTransform::Group &
WinogradTransform::groupOf(int64_t position) const {
  const Group *found = groups.begin();
  for (const Group &group : groups)
    if (group.firstProduct <= position)
      found = &group;
  return *found;
}

std::optional<WinogradTransform>
WinogradTransform::of(ArrayRef<int64_t> tiles, ArrayRef<int64_t> windows,
                      ArrayRef<int64_t> strides) {
  if (tiles.size() != 2 || windows.size() != 2 || strides.size() != 2)
    return std::nullopt;
  auto y = WinogradAxis::of(tiles[0], windows[0], strides[0]);
  auto x = WinogradAxis::of(tiles[1], windows[1], strides[1]);
  if (!y || !x)
    return std::nullopt;
  WinogradTransform both{*y, *x, {}, {}, {}};
  auto count = [](const WinogradAxis &filter, int64_t sum) {
    return llvm::count_if(filter.products, [&](const Product &product) {
      return product.sum == sum;
    });
  };
  SmallVector<int64_t> depths;
  for (int64_t i = 0; i < y->sums(); ++i)
    for (int64_t j = 0; j < x->sums(); ++j)
      depths.push_back(count(*y, i) * count(*x, j));
  both.sumIndex.resize(depths.size());
  SmallVector<int64_t> firstProduct(depths.size());
  int64_t sums = 0, products = 0;
  for (int64_t depth = *llvm::max_element(depths); depth > 0; --depth) {
    if (!llvm::is_contained(depths, depth))
      continue;
    both.groups.push_back({depth, sums, products});
    for (auto [i, d] : llvm::enumerate(depths))
      if (d == depth) {
        both.sumIndex[i] = sums++;
        firstProduct[i] = products;
        products += depth;
        ++both.groups.back().sums;
      }
  }
  for (const Product &py : y->products)
    for (const Product &px : x->products)
      both.productIndex.push_back(firstProduct[py.sum * x->sums() + px.sum]++);
  return both;
}

} // namespace weir::kernel
