// The K-major layout: column by column, for dot products.

#include "dialects/kernel/Layout.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct KMajor : LayoutFormat {
  bool serves(LayoutAttr, const LayoutUser &user) const override {
    return user.kind != LayoutUser::Depthwise && isa<FloatType>(user.stored) &&
           user.weights.groups == 1 && !user.transposesLeft;
  }

  SmallVector<int64_t> shapeOf(LayoutAttr,
                               const WeightsShape &weights) const override {
    return panelsShape(weights, /*width=*/1);
  }
};

} // namespace

const LayoutFormat &formatOfKMajor() {
  static const KMajor format;
  return format;
}

} // namespace weir::kernel
