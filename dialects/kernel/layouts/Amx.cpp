// The AMX tile layout: blocks of two tiles, of bf16 that may be terms of f32,
// or of i8.

#include "dialects/kernel/layouts/Amx.h"

#include "llvm/ADT/bit.h"

#include <cstring>

using namespace mlir;

namespace weir::kernel {

bool areSplitAndRange(ArrayRef<int64_t> numbers) {
  return numbers.size() == 3 && numbers[0] >= 1 && numbers[0] <= 3 &&
         numbers[1] >= -126 && numbers[1] <= numbers[2] && numbers[2] <= 127;
}

bool multipliesByTiles(const LayoutUser &user) {
  bool isPack = user.kind == LayoutUser::Pack;
  return (isPack || user.isProduct()) && !user.isUnsigned &&
         !user.transposesLeft && user.weights.batches.empty() &&
         user.weights.groups == 1;
}

namespace {

/// Cut off, but rounded for the second of two terms.
uint16_t topOf(float x, bool rounds) {
  return (llvm::bit_cast<uint32_t>(x) + (rounds ? 0x8000 : 0)) >> 16;
}

struct AmxTiles : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return numbers.empty() || areSplitAndRange(numbers);
  }

  bool serves(LayoutAttr layout, const LayoutUser &user) const override {
    if (!multipliesByTiles(user))
      return false;
    bool areBytes = layout.getNumbers().empty();
    if (user.kind == LayoutUser::Pack)
      return areBytes ? user.stored.isInteger(8) : user.stored.isBF16();
    if (areBytes)
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

  Type elementOf(LayoutAttr layout, Type element) const override {
    MLIRContext *context = element.getContext();
    if (layout.getNumbers().empty())
      return element.isInteger(8) || element.isInteger(32)
                 ? IntegerType::get(context, 8)
                 : Type();
    return element.isF32() || element.isBF16() ? BFloat16Type::get(context)
                                               : Type();
  }

  // Tiles begin anew with each tap of a filter.
  void pack(LayoutAttr layout, const WeightsSource &from,
            char *to) const override {
    // A row of a tile has 4 bytes of each column.
    bool areBytes = layout.getNumbers().empty();
    int64_t rows = areBytes ? 4 : 2, step = rows * amxWidth / 2;
    int64_t split = layout.getSplit(), channels = from.depth;
    int64_t stepsATap = llvm::divideCeil(channels, step);
    int64_t steps = ShapedType::getNumElements(from.taps) * stepsATap;
    int64_t bytes = from.element.getIntOrFloatBitWidth() / 8;
    int64_t each = areBytes ? 1 : 2; // the low byte of integers
    for (int64_t k = 0; k < from.rows(); ++k)
      for (int64_t n = 0; n < from.columns; ++n) {
        const char *source =
            from.data + (k * from.depthStride + n * from.columnStride) * bytes;
        int64_t at = k % channels;
        int64_t block =
            n / amxWidth * steps + k / channels * stepsATap + at / step;
        int64_t in = n % amxWidth / 16 * 16 * step + at % step / rows * step +
                     n % 16 * rows + at % rows;
        char *target = to + (block * split * amxWidth * step + in) * each;
        if (!from.element.isF32()) {
          std::memcpy(target, source, each);
          continue;
        }
        float x;
        std::memcpy(&x, source, sizeof x);
        for (int64_t term = 0; term < split; ++term) {
          uint16_t top = topOf(x, split == 2);
          std::memcpy(target + term * amxWidth * step * each, &top, sizeof top);
          x -= llvm::bit_cast<float>(uint32_t(top) << 16);
        }
      }
  }
};

} // namespace

const LayoutFormat &formatOfAmxTiles() {
  static const AmxTiles format;
  return format;
}

} // namespace weir::kernel
