// The layout of transformed filters: panels for each product of a Winograd
// tile.

#include "dialects/kernel/Layout.h"
#include "dialects/kernel/WinogradTransform.h"

using namespace mlir;

namespace weir::kernel {
namespace {

std::optional<WinogradTransform> windowOf(LayoutAttr layout,
                                          const WeightsShape &weights) {
  if (weights.taps.size() != 2)
    return std::nullopt;
  return WinogradTransform::of(layout.getTiles(), weights.taps,
                               layout.getStrides());
}

// `sums` of `valid` elements of each row, times its factor.
template <typename Row>
void addTaps(ArrayRef<double> factors, int64_t valid, double *sums, Row row) {
  bool isFirst = true;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    if (factor == 0)
      continue;
    auto from = row(i);
    for (int64_t n = 0; n < valid; ++n)
      sums[n] = isFirst ? factor * from[n] : sums[n] + factor * from[n];
    isFirst = false;
  }
}

struct Winograd : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return numbers.size() == 5 &&
           llvm::all_of(numbers, [](int64_t size) { return size > 0; });
  }

  bool serves(LayoutAttr layout, const LayoutUser &user) const override {
    return (user.kind == LayoutUser::Winograd ||
            user.kind == LayoutUser::Transform) &&
           user.stored.isF32() && user.weights.groups == 1 &&
           windowOf(layout, user.weights);
  }

  SmallVector<int64_t> shapeOf(LayoutAttr layout,
                               const WeightsShape &weights) const override {
    int64_t width = layout.getWidth();
    return {llvm::divideCeilSigned(weights.columns, width),
            windowOf(layout, weights)->products(), weights.depth, width};
  }

  Type elementOf(LayoutAttr, Type element) const override {
    return Float32Type::get(element.getContext());
  }

  // Sums are computed in double, first down and then across, and rounded once.
  // kernel.transform_filter with `at_run` computes them in the same order.
  void pack(LayoutAttr layout, const WeightsSource &from,
            char *packed) const override {
    std::optional<WinogradTransform> window = windowOf(layout, from);
    const auto *data = reinterpret_cast<const float *>(from.data);
    auto *to = reinterpret_cast<float *>(packed);
    int64_t taps = window->x.window, depth = from.depth;
    int64_t columns = from.columns, width = layout.getWidth();
    std::vector<double> down(taps * width), sums(width);
    for (int64_t first = 0; first < columns; first += width) {
      int64_t valid = std::min(width, columns - first);
      auto position = window->productIndex.begin();
      float *panel = to + first / width * window->products() * depth * width;
      for (const auto &y : window->y.products)
        for (const auto &x : window->x.products) {
          float *out = panel + *position++ * depth * width;
          for (int64_t k = 0; k < depth; ++k, out += width) {
            for (int64_t tap = 0; tap < taps; ++tap)
              addTaps(y.taps, valid, &down[tap * width], [&](int64_t i) {
                return data + ((i * taps + tap) * depth + k) * columns + first;
              });
            addTaps(x.taps, valid, sums.data(),
                    [&](int64_t i) { return &down[i * width]; });
            for (int64_t n = 0; n < valid; ++n)
              out[n] = static_cast<float>(sums[n]);
          }
        }
    }
  }
};

} // namespace

const LayoutFormat &formatOfWinograd() {
  static const Winograd format;
  return format;
}

} // namespace weir::kernel
