// The VNNI layout of depthwise filters: four rows of 64 channels, interleaved.

#include "dialects/kernel/Layout.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct VnniRows : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return numbers.size() == 1 && numbers[0] > 0;
  }

  bool serves(LayoutAttr layout, const LayoutUser &user) const override {
    bool isPack = user.kind == LayoutUser::Pack;
    return (isPack ||
            (user.kind == LayoutUser::Depthwise && user.isUnsigned)) &&
           user.stored.isInteger(8) && user.weights.taps.size() == 2 &&
           user.weights.taps[0] == layout.getRows() &&
           user.weights.depth == 1 && user.weights.groups == 1;
  }

  SmallVector<int64_t> shapeOf(LayoutAttr layout,
                               const WeightsShape &weights) const override {
    return {llvm::divideCeilSigned(weights.columns, 64), weights.taps[1],
            llvm::divideCeilSigned(layout.getRows(), 4), 64, 4};
  }

  void pack(LayoutAttr layout, const WeightsSource &from,
            char *to) const override {
    int64_t rows = layout.getRows(), across = from.taps[1];
    int64_t deep = llvm::divideCeil(rows, 4);
    const char *next = from.data;
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < across; ++x)
        for (int64_t c = 0; c < from.columns; ++c) {
          int64_t in = c % 16 / 4 * 16 + c % 64 / 16 * 4 + c % 4;
          int64_t block = (c / 64 * across + x) * deep + y / 4;
          to[(block * 64 + in) * 4 + y % 4] = *next++;
        }
  }
};

} // namespace

const LayoutFormat &formatOfVnniRows() {
  static const VnniRows format;
  return format;
}

} // namespace weir::kernel
