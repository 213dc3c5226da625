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
    return interleavedShape(weights, layout.getWidth(), /*unit=*/4);
  }

  void pack(LayoutAttr layout, const WeightsSource &from,
            char *to) const override {
    packInterleaved(from, layout.getWidth(), /*unit=*/4, /*bytes=*/1, to);
  }
};

} // namespace

const LayoutFormat &formatOfVnni() {
  static const Vnni format;
  return format;
}

} // namespace weir::kernel
