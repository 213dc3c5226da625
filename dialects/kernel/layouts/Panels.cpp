// Panels: some columns of a matrix at a time, row by row.

#include "dialects/kernel/layouts/Panels.h"

#include <cstring>

using namespace mlir;

namespace weir::kernel {

SmallVector<int64_t> panelsShape(const WeightsShape &weights, int64_t width) {
  SmallVector<int64_t> shape(weights.batches);
  shape.push_back(weights.groups *
                  llvm::divideCeilSigned(weights.columns, width));
  shape.append(weights.taps);
  shape.append({weights.depth, width});
  return shape;
}

void packPanels(const WeightsSource &from, int64_t width, int64_t bytes,
                char *to) {
  int64_t rows = from.rows(), columns = from.columns;
  int64_t batches = ShapedType::getNumElements(from.batches);
  const char *matrix = from.data;
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t g = 0; g < from.groups; ++g)
      for (int64_t first = 0; first < columns; first += width) {
        int64_t valid = std::min(width, columns - first);
        for (int64_t k = 0; k < rows; ++k, to += width * bytes) {
          const char *row =
              matrix + (k * from.depthStride +
                        (g * columns + first) * from.columnStride) *
                           bytes;
          if (from.columnStride == 1)
            std::memcpy(to, row, valid * bytes);
          else
            for (int64_t n = 0; n < valid; ++n)
              std::memcpy(to + n * bytes, row + n * from.columnStride * bytes,
                          bytes);
        }
      }
    matrix += rows * columns * from.groups * bytes;
  }
}

SmallVector<int64_t> interleavedShape(const WeightsShape &weights,
                                      int64_t width, int64_t unit) {
  WeightsShape units = weights;
  units.depth = llvm::divideCeilSigned(weights.depth, unit);
  SmallVector<int64_t> shape = panelsShape(units, width);
  shape.push_back(unit);
  return shape;
}

// The size of an element is a constant, so that its copy is one instruction.
template <int64_t bytes>
static void interleave(const WeightsSource &from, int64_t width, int64_t unit,
                       char *to) {
  int64_t depth = from.depth, columns = from.columns;
  int64_t taps = ShapedType::getNumElements(from.taps);
  int64_t panels = llvm::divideCeil(columns, width);
  int64_t units = llvm::divideCeil(depth, unit);
  for (int64_t g = 0; g < from.groups; ++g)
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t n = 0; n < columns; ++n) {
          int64_t row =
              ((g * panels + n / width) * taps + tap) * units + k / unit;
          int64_t target = (row * width + n % width) * unit + k % unit;
          int64_t source = (tap * depth + k) * from.depthStride +
                           (g * columns + n) * from.columnStride;
          std::memcpy(to + target * bytes, from.data + source * bytes, bytes);
        }
}

void packInterleaved(const WeightsSource &from, int64_t width, int64_t unit,
                     int64_t bytes, char *to) {
  switch (bytes) {
  case 1:
    return interleave<1>(from, width, unit, to);
  case 2:
    return interleave<2>(from, width, unit, to);
  case 4:
    return interleave<4>(from, width, unit, to);
  }
  llvm_unreachable("an element of 1, 2 or 4 bytes");
}

namespace {

struct Panels : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return numbers.size() == 1 && numbers[0] > 0;
  }

  bool serves(LayoutAttr, const LayoutUser &user) const override {
    return user.isProduct() || user.kind == LayoutUser::Pack;
  }

  SmallVector<int64_t> shapeOf(LayoutAttr layout,
                               const WeightsShape &weights) const override {
    return panelsShape(weights, layout.getWidth());
  }

  void pack(LayoutAttr layout, const WeightsSource &from,
            char *to) const override {
    packPanels(from, layout.getWidth(),
               from.element.getIntOrFloatBitWidth() / 8, to);
  }
};

} // namespace

const LayoutFormat &formatOfPanels() {
  static const Panels format;
  return format;
}

} // namespace weir::kernel
