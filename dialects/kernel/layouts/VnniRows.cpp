// The VNNI layout of depthwise filters: four rows of 64 channels, interleaved.

#include "dialects/kernel/Layout.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct VnniRows : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return numbers.size() == 1 && numbers[0] > 0;
  }

  bool serves(LayoutAttr, const LayoutUser &user) const override {
    return user.kind == LayoutUser::Depthwise && user.isUnsigned &&
           user.weights.taps.size() == 2;
  }

  SmallVector<int64_t> shapeOf(LayoutAttr layout,
                               const WeightsShape &weights) const override {
    return {llvm::divideCeilSigned(weights.columns, 64), weights.taps[1],
            llvm::divideCeilSigned(layout.getRows(), 4), 64, 4};
  }
};

} // namespace

const LayoutFormat &formatOfVnniRows() {
  static const VnniRows format;
  return format;
}

} // namespace weir::kernel
