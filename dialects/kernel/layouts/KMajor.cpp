// The K-major layout: column by column, for dot products.

#include "dialects/kernel/layouts/Panels.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct KMajor : LayoutFormat {
  bool serves(LayoutAttr, const LayoutUser &user) const override {
    return (user.isProduct() || user.kind == LayoutUser::Pack) &&
           isa<FloatType>(user.stored) && user.weights.groups == 1 &&
           !user.transposesLeft;
  }

  SmallVector<int64_t> shapeOf(LayoutAttr,
                               const WeightsShape &weights) const override {
    return panelsShape(weights, /*width=*/1);
  }

  void pack(LayoutAttr, const WeightsSource &from, char *to) const override {
    packPanels(from, /*width=*/1, from.element.getIntOrFloatBitWidth() / 8, to);
  }
};

} // namespace

const LayoutFormat &formatOfKMajor() {
  static const KMajor format;
  return format;
}

} // namespace weir::kernel
