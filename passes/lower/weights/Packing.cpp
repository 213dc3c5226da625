// How constant weights lie in memory, before they are packed and after.

#include "passes/lower/weights/Packing.h"

#include <cstring>

using namespace mlir;

namespace weir {

// `sums` of `valid` elements of each row, times its factor.
template <typename Row>
static void addTaps(ArrayRef<double> factors, int64_t valid, double *sums,
                    Row row) {
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

PairPacking Packing::pairs() const {
  return {depth, columns, depthStride, columnStride};
}

TilePacking Packing::tiles() const {
  int64_t channels = depth;
  for (int64_t size : taps)
    channels /= size;
  return {depth, columns, depthStride, columnStride, channels, tileParts};
}

Packing Packing::of(kernel::PackOp op) {
  auto from = cast<ShapedType>(op.getB().getType());
  auto to = cast<ShapedType>(op.getOut().getType());
  ArrayRef<int64_t> matrix = from.getShape().take_back(2);
  bool t = op.getTransposeB();
  int64_t batches = 1;
  for (int64_t size : from.getShape().drop_back(2))
    batches *= size;
  return {batches,
          1,
          matrix[t],
          matrix[!t],
          t ? 1 : matrix[1],
          t ? matrix[1] : 1,
          to.getShape().back()};
}

Packing Packing::of(kernel::PackFilterOp op) {
  auto from = cast<ShapedType>(op.getFilter().getType());
  auto to = cast<ShapedType>(op.getOut().getType());
  int64_t outputs = from.getShape().back(), groups = op.getGroups();
  return {1,
          groups,
          from.getNumElements() / outputs,
          outputs / groups,
          outputs,
          1,
          to.getShape().back()};
}

Packing Packing::of(kernel::TransformFilterOp transform) {
  auto from = cast<ShapedType>(transform.getFilter().getType());
  auto to = cast<ShapedType>(transform.getOut().getType());
  int64_t outputs = from.getDimSize(3);
  return {1,       1, from.getDimSize(2), outputs,
          outputs, 1, to.getDimSize(3),   transform.getWindow()};
}

Packing Packing::copy(int64_t elements) {
  return {1, 1, 1, elements, elements, 1, elements};
}

// Sums are computed in double, first down and then across, and rounded once.
// kernel.transform_filter with `at_run` computes them in the same order.
void Packing::transform(const float *from, float *to) const {
  int64_t taps = window->x.window;
  std::vector<double> down(taps * width), sums(width);
  for (int64_t first = 0; first < columns; first += width) {
    int64_t valid = std::min(width, columns - first);
    auto place = window->productPlace.begin();
    float *panel = to + first / width * window->products() * depth * width;
    for (const auto &y : window->y.products)
      for (const auto &x : window->x.products) {
        float *out = panel + *place++ * depth * width;
        for (int64_t k = 0; k < depth; ++k, out += width) {
          for (int64_t tap = 0; tap < taps; ++tap)
            addTaps(y.taps, valid, &down[tap * width], [&](int64_t i) {
              return from + ((i * taps + tap) * depth + k) * columns + first;
            });
          addTaps(x.taps, valid, sums.data(),
                  [&](int64_t i) { return &down[i * width]; });
          for (int64_t n = 0; n < valid; ++n)
            out[n] = static_cast<float>(sums[n]);
        }
      }
  }
}

Packing::Key Packing::key() const {
  Key key = {batches,     groups,       depth, columns,
             depthStride, columnStride, width, tileParts};
  if (window) {
    key[8] = window->y.results, key[9] = window->y.stride;
    key[10] = window->x.results, key[11] = window->x.stride;
  }
  return key;
}

void Packing::run(const char *from, char *to, Type element) const {
  if (window)
    return transform(reinterpret_cast<const float *>(from),
                     reinterpret_cast<float *>(to));
  if (words)
    return words->run(from, to);
  if (tileParts)
    return tiles().run(from, element, to);
  if (paired)
    return pairs().run(reinterpret_cast<const float *>(from),
                       reinterpret_cast<float *>(to));
  toPanels(from, to, element.getIntOrFloatBitWidth() / 8);
}

void Packing::toPanels(const char *from, char *to, int64_t bytes) const {
  int64_t panels = (columns + width - 1) / width;
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t j = 0; j < panels; ++j) {
        int64_t valid = std::min(width, columns - j * width);
        for (int64_t k = 0; k < depth; ++k, to += width * bytes) {
          const char *row = from + (k * depthStride +
                                    (g * columns + j * width) * columnStride) *
                                       bytes;
          if (columnStride == 1)
            std::memcpy(to, row, valid * bytes);
          else
            for (int64_t n = 0; n < valid; ++n)
              std::memcpy(to + n * bytes, row + n * columnStride * bytes,
                          bytes);
        }
      }
    from += depth * columns * groups * bytes;
  }
}

} // namespace weir
