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
