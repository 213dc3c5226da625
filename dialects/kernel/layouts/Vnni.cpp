// The VNNI layout: panels of bytes whose rows are interleaved by four, for sums
// of four products.

#include "dialects/kernel/layouts/Panels.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct Vnni : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return numbers.size() == 1 && numbers[0] > 0;
  }

  bool serves(LayoutAttr, const LayoutUser &user) const override {
    bool isPack = user.kind == LayoutUser::Pack;
    return (isPack || (user.isProduct() && user.isUnsigned)) &&
           user.stored.isInteger(8) && !user.transposesLeft &&
           user.weights.batches.empty() &&
           (user.weights.groups == 1 || user.weights.depth % 4 == 0);
  }

  SmallVector<int64_t> shapeOf(LayoutAttr layout,
                               const WeightsShape &weights) const override {
    WeightsShape fours = weights;
    fours.depth = llvm::divideCeilSigned(weights.depth, 4);
    SmallVector<int64_t> shape = panelsShape(fours, layout.getWidth());
    shape.push_back(4);
    return shape;
  }

  void pack(LayoutAttr layout, const WeightsSource &from,
            char *to) const override {
    int64_t width = layout.getWidth(), depth = from.depth;
    int64_t columns = from.columns,
            taps = ShapedType::getNumElements(from.taps);
    int64_t panels = llvm::divideCeil(columns, width);
    int64_t deep = llvm::divideCeil(depth, 4);
    for (int64_t g = 0; g < from.groups; ++g)
      for (int64_t tap = 0; tap < taps; ++tap)
        for (int64_t k = 0; k < depth; ++k)
          for (int64_t n = 0; n < columns; ++n) {
            int64_t row =
                ((g * panels + n / width) * taps + tap) * deep + k / 4;
            to[(row * width + n % width) * 4 + k % 4] =
                from.data[(tap * depth + k) * from.depthStride +
                          (g * columns + n) * from.columnStride];
          }
  }
};

} // namespace

const LayoutFormat &formatOfVnni() {
  static const Vnni format;
  return format;
}

} // namespace weir::kernel
