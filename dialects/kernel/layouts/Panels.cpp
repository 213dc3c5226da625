// Panels: some columns of a matrix at a time, row by row.

#include "dialects/kernel/Layout.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct Panels : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return numbers.size() == 1 && numbers[0] > 0;
  }

  bool serves(LayoutAttr, const LayoutUser &user) const override {
    return user.kind != LayoutUser::Depthwise;
  }

  SmallVector<int64_t> shapeOf(LayoutAttr layout,
                               const WeightsShape &weights) const override {
    return panelsShape(weights, layout.getWidth());
  }
};

} // namespace

const LayoutFormat &formatOfPanels() {
  static const Panels format;
  return format;
}

} // namespace weir::kernel
