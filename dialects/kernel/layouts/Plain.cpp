// The plain layout: the matrices of a product, or of the taps of a filter, row
// by row.

#include "dialects/kernel/Layout.h"
#include "dialects/kernel/layouts/Panels.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct Plain : LayoutFormat {
  bool serves(LayoutAttr, const LayoutUser &user) const override {
    return user.isProduct() || user.kind == LayoutUser::Pack;
  }

  SmallVector<int64_t> shapeOf(LayoutAttr,
                               const WeightsShape &weights) const override {
    SmallVector<int64_t> shape(weights.batches);
    shape.append(weights.taps);
    shape.append({weights.depth, weights.groups * weights.columns});
    return shape;
  }

  void pack(LayoutAttr, const WeightsSource &from, char *to) const override {
    WeightsSource all = from;
    all.columns *= all.groups, all.groups = 1;
    packPanels(all, all.columns, from.element.getIntOrFloatBitWidth() / 8, to);
  }
};

} // namespace

const LayoutFormat &formatOfPlain() {
  static const Plain format;
  return format;
}

} // namespace weir::kernel
