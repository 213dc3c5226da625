// The AMX tile layout: blocks of two tiles, of bf16 that may be terms of f32,
// or of i8.

#include "dialects/kernel/layouts/Amx.h"

using namespace mlir;

namespace weir::kernel {

bool areSplitAndRange(ArrayRef<int64_t> numbers) {
  return numbers.size() == 3 && numbers[0] >= 1 && numbers[0] <= 3 &&
         numbers[1] >= -126 && numbers[1] <= numbers[2] && numbers[2] <= 127;
}

bool multipliesByTiles(const LayoutUser &user) {
  bool isProduct =
      user.kind == LayoutUser::Matmul || user.kind == LayoutUser::Convolution;
  return isProduct && !user.isUnsigned && !user.transposesLeft &&
         user.weights.batches.empty() && user.weights.groups == 1;
}

namespace {

struct Amx : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return numbers.empty() || areSplitAndRange(numbers);
  }

  bool serves(LayoutAttr layout, const LayoutUser &user) const override {
    if (!multipliesByTiles(user))
      return false;
    if (layout.getNumbers().empty())
      return user.kind == LayoutUser::Matmul && user.stored.isInteger(8) &&
             user.sum.isInteger(32) &&
             (user.left.isInteger(32) || user.left.isInteger(8));
    bool isSplit = layout.getSplit() > 1;
    return user.stored.isBF16() && user.sum.isF32() &&
           (isSplit ? user.left.isF32() : user.left.isBF16());
  }

  SmallVector<int64_t> shapeOf(LayoutAttr layout,
                               const WeightsShape &weights) const override {
    int64_t step = layout.getNumbers().empty() ? 64 : 32;
    SmallVector<int64_t> shape = {
        llvm::divideCeilSigned(weights.columns, amxWidth)};
    shape.append(weights.taps);
    shape.append({llvm::divideCeilSigned(weights.depth, step),
                  layout.getSplit(), 2, 16, step});
    return shape;
  }
};

} // namespace

const LayoutFormat &formatOfAmx() {
  static const Amx format;
  return format;
}

} // namespace weir::kernel
