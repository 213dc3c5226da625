// Panels of f32 that a kernel splits for tile registers in use.

#include "dialects/kernel/layouts/Amx.h"
#include "dialects/kernel/layouts/Panels.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct AmxPanels : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return areSplitAndRange(numbers) && numbers[0] > 1;
  }

  bool serves(LayoutAttr, const LayoutUser &user) const override {
    return multipliesByTiles(user) && user.stored.isF32() &&
           (user.kind == LayoutUser::Pack ||
            (user.left.isF32() && user.sum.isF32()));
  }

  SmallVector<int64_t> shapeOf(LayoutAttr,
                               const WeightsShape &weights) const override {
    return panelsShape(weights, amxWidth);
  }

  void pack(LayoutAttr, const WeightsSource &from, char *to) const override {
    packPanels(from, amxWidth, sizeof(float), to);
  }
};

} // namespace

const LayoutFormat &formatOfAmxPanels() {
  static const AmxPanels format;
  return format;
}

} // namespace weir::kernel
