// Builds transposed convolutions, the gradients of convolutions by images.

#include "dialects/graph/build/Windows.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include <numeric>

using namespace mlir;

namespace weir::graph::build {

/// Swaps the channels within groups: window..., inner, groups * outer ->
/// window..., outer, groups * inner.
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

/// Padding of the results that are convolved, for each of their dimensions.
/// Negative numbers remove results.
struct Margins {
  SmallVector<int64_t> low, high;
  explicit Margins(int64_t rank) : low(rank, 0), high(rank, 0) {}

  /// Sets the margins of dimension `i`: padding of the windows, or slices.
  void set(int64_t i, int64_t before, int64_t after, Windows &windows) {
    windows.low[i] = std::max<int64_t>(before, 0);
    windows.high[i] = std::max<int64_t>(after, 0);
    low[i + 1] = std::min<int64_t>(before, 0);
    high[i + 1] = std::min<int64_t>(after, 0);
  }
};

/// Computes each phase of the strides by a convolution of stride 1 with some of
/// the taps. The phases are interleaved.
class Phases {
public:
  /// `filter` has swapped channels.
  Phases(Expr results, Expr filter, ArrayRef<int64_t> images,
         const Windows &windows, int64_t groups)
      : results(results), filter(filter), images(images), windows(windows),
        groups(groups), unit(windows), margins(results.rank()) {
    unit.strides.assign(windows.size.size(), 1);
  }

  /// Whether strides, without dilations, divide the taps into phases.
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

  /// All images from dimension `i` of the window on, for the chosen phases of
  /// earlier dimensions.
  Expr all(int64_t i = 0) {
    if (i == static_cast<int64_t>(windows.size.size()))
      return convolve(pad(results, margins.low, margins.high), filter, unit,
                      groups);
    int64_t stride = windows.strides[i], extent = images[i + 1];
    if (stride == 1) {
      int64_t reach = (windows.size[i] - 1) * windows.dilations[i];
      choose(i, 0, windows.size[i], 1, extent, reach - windows.low[i]);
      return all(i + 1);
    }
    int64_t positions = (extent + stride - 1) / stride;
    Expr whole = filter;
    SmallVector<Expr> phases;
    for (int64_t phase = 0; phase < stride; ++phase) {
      int64_t position = phase + windows.low[i], first = position % stride;
      int64_t taps =
          std::max<int64_t>(0, (windows.size[i] - first + stride - 1) / stride);
      filter = whole;
      if (taps) {
        choose(i, first, taps, stride, positions, taps - 1 - position / stride);
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
  /// Selects `count` reversed taps of dimension `i`, and margins for as many
  /// results as `places`, starting `before` ahead of the first one.
  void choose(int64_t i, int64_t first, int64_t count, int64_t step,
              int64_t positions, int64_t before) {
    filter = slice(filter, i, first, count, step);
    filter = reverse(filter, {i});
    int64_t dilation = unit.dilations[i];
    int64_t after =
        positions + (count - 1) * dilation - windows.counts[i] - before;
    margins.set(i, before, after, unit);
  }

  /// Interleaves the phases along `dim`; a phase without taps is zero.
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
  Margins margins;
};

/// Computes the phases as channels of one convolution. Its windows span those
/// of all phases; taps that a phase lacks are zero.
class JoinedPhases {
public:
  /// As for Phases, without groups or dilations.
  JoinedPhases(Expr results, Expr filter, ArrayRef<int64_t> images,
               const Windows &windows)
      : results(results), filter(filter), images(images), windows(windows),
        unit(windows) {
    unit.strides.assign(windows.size.size(), 1);
    for (auto [i, size] : llvm::enumerate(windows.size)) {
      // Tap k of phase p belongs to the result at distance (p + low - k) /
      // stride.
      int64_t stride = windows.strides[i], low = windows.low[i];
      last.push_back(llvm::divideCeil(low, stride));
      int64_t behind = size - 1 - low;
      int64_t first = behind < 0 ? int64_t(llvm::divideCeil(-behind, stride))
                                 : -(behind / stride);
      unit.size[i] = last[i] - first + 1;
    }
  }

  /// Whether the windows are not much longer than the strides. Then few of the
  /// joined taps are zero.
  bool areShort() const {
    return llvm::all_of(
        llvm::zip_equal(unit.size, windows.strides, windows.size),
        [](auto axis) {
          auto [taps, stride, size] = axis;
          return taps <= 3 * size / stride;
        });
  }

  /// Whether this is faster than a convolution for each phase. With few
  /// channels, those would leave most lanes empty.
  bool areWorth(bool isConstant) const {
    // Elements of a vector; the graph is the same for all targets.
    constexpr int64_t vector = 16;
    // With few result channels the sums are dot products over the input
    // channels, if these are many and the filter can be packed at compile time.
    bool areDots = isConstant && filter.shape().end()[-2] >= vector;
    auto vectors = [&](int64_t channels) {
      return areDots && 2 * channels <= vector
                 ? double(channels) / vector
                 : double(llvm::divideCeil(channels, vector));
    };
    double joined = 1, apart = 1;
    int64_t phases = 1;
    for (auto [i, size] : llvm::enumerate(windows.size)) {
      joined *= double(unit.size[i]);
      apart *= double(size);
      phases *= windows.strides[i];
    }
    int64_t channels = filter.shape().back();
    return joined * vectors(phases * channels) < apart * vectors(channels);
  }

  Expr all() {
    auto spatial = static_cast<int64_t>(windows.size.size());
    Margins margins(spatial + 2);
    SmallVector<int64_t> positions{results.size(0)}, turns = positions;
    for (int64_t i = 0; i < spatial; ++i) {
      int64_t stride = windows.strides[i];
      positions.push_back((images[i + 1] + stride - 1) / stride);
      turns.push_back(positions.back() * stride);
      int64_t before = unit.size[i] - 1 - last[i];
      int64_t after =
          positions.back() + unit.size[i] - 1 - windows.counts[i] - before;
      margins.set(i, before, after, unit);
    }
    int64_t channels = filter.shape().back();
    Expr made = convolve(pad(results, margins.low, margins.high),
                         joinedFilter(), unit, /*groups=*/1);
    // Interleaves positions and phases.
    SmallVector<int64_t> apart(positions), order{0};
    llvm::append_range(apart, windows.strides);
    apart.push_back(channels);
    for (int64_t i = 1; i <= spatial; ++i)
      order.append({i, spatial + i});
    order.push_back(2 * spatial + 1);
    turns.push_back(channels);
    made = reshape(transpose(reshape(made, apart), order), turns);
    for (int64_t i = 1; i <= spatial; ++i)
      made = slice(made, i, 0, images[i]);
    return made;
  }

private:
  /// window..., inner, outer -> joined window..., inner, phases... * outer.
  Expr joinedFilter() {
    auto spatial = static_cast<int64_t>(windows.size.size());
    SmallVector<int64_t> low(spatial + 2, 0), high = low, split, reversed,
                                              order, joined(unit.size);
    for (int64_t i = 0; i < spatial; ++i) {
      int64_t stride = windows.strides[i];
      low[i] = last[i] * stride - windows.low[i];
      high[i] = unit.size[i] * stride - windows.size[i] - low[i];
      split.append({unit.size[i], stride});
      reversed.push_back(2 * i);
      order.push_back(2 * i);
    }
    ArrayRef<int64_t> channels = filter.shape().take_back(2);
    llvm::append_range(split, channels);
    order.push_back(2 * spatial);
    joined.append({channels[0], channels[1]});
    for (int64_t i = 0; i < spatial; ++i) {
      order.push_back(2 * i + 1);
      joined.back() *= windows.strides[i];
    }
    order.push_back(2 * spatial + 1);
    Expr taps = reverse(reshape(pad(filter, low, high), split), reversed);
    return reshape(transpose(taps, order), joined);
  }

  Expr results, filter;
  ArrayRef<int64_t> images;
  const Windows &windows;
  Windows unit;
  SmallVector<int64_t> last; // the phase of each tap of an axis
};

} // namespace

// Convolves the results, dilated by the stride, with the reversed filter.
// Products with the inserted zeros are left out where possible.
Expr convolveBack(Expr results, Expr filter, ArrayRef<int64_t> images,
                  const Windows &windows, int64_t groups) {
  int64_t spatial = static_cast<int64_t>(windows.size.size());
  if (!results || !filter || filter.rank() != spatial + 2 ||
      results.rank() != spatial + 2 || groups < 1 ||
      filter.shape().back() % groups != 0)
    return {};
  bool isConstant = filter.value.getDefiningOp<graph::ConstantOp>() != nullptr;
  filter = swapChannels(filter, groups);
  bool any = filter && !llvm::is_contained(windows.counts, 0) &&
             !llvm::is_contained(images, 0);
  auto isMany = [](int64_t value) { return value > 1; };
  if (any && groups == 1 && llvm::any_of(windows.strides, isMany) &&
      llvm::none_of(windows.dilations, isMany)) {
    JoinedPhases joined(results, filter, images, windows);
    if (joined.areShort() &&
        (joined.areWorth(isConstant) || !Phases::areWorth(windows)))
      return joined.all();
  }
  if (any && Phases::areWorth(windows))
    return Phases(results, filter, images, windows, groups).all();
  SmallVector<int64_t> dims(spatial);
  std::iota(dims.begin(), dims.end(), 0);
  filter = reverse(filter, dims);

  Windows unit = windows;
  Margins margins(spatial + 2);
  SmallVector<int64_t> interior(spatial + 2, 0);
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t count = windows.counts[i];
    int64_t length = count ? (count - 1) * windows.strides[i] + 1 : 0;
    int64_t reach = (windows.size[i] - 1) * windows.dilations[i];
    int64_t before = reach - windows.low[i];
    interior[i + 1] = windows.strides[i] - 1;
    unit.strides[i] = 1;
    margins.set(i, before, images[i + 1] + reach - length - before, unit);
  }
  return convolve(pad(results, margins.low, margins.high, interior), filter,
                  unit, groups);
}

} // namespace weir::graph::build
