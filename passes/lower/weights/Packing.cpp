// How constant weights lie in memory, before they are packed and after.

#include "passes/lower/weights/Packing.h"

#include <cstring>

using namespace mlir;

namespace weir {

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

std::vector<Packing::Taps> Packing::tapsOfProducts() const {
  std::vector<Taps> taps(window->products());
  auto place = window->productPlace.begin();
  for (const auto &down : window->y.products)
    for (const auto &across : window->x.products) {
      Taps &these = taps[*place++];
      for (auto [y, a] : llvm::enumerate(down.taps))
        for (auto [x, b] : llvm::enumerate(across.taps))
          if (a * b != 0)
            these.push_back({y * window->x.window + x, a * b});
    }
  return taps;
}

/// Each sum of taps, computed in double and rounded once.
void Packing::transform(const float *from, float *to) const {
  std::vector<Taps> products = tapsOfProducts();
  std::vector<double> sums(width);
  for (int64_t first = 0; first < columns; first += width)
    for (const Taps &taps : products)
      for (int64_t k = 0; k < depth; ++k, to += width) {
        int64_t valid = std::min(width, columns - first);
        std::fill(sums.begin(), sums.end(), 0);
        for (auto [tap, factor] : taps) {
          const float *row = from + (tap * depth + k) * columns + first;
          for (int64_t n = 0; n < valid; ++n)
            sums[n] += factor * row[n];
        }
        for (int64_t n = 0; n < valid; ++n)
          to[n] = static_cast<float>(sums[n]);
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
