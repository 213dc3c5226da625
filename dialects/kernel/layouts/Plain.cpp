// The plain layout: the matrices of a product, row by row.

#include "dialects/kernel/Layout.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct Plain : LayoutFormat {
  bool serves(LayoutAttr, const LayoutUser &user) const override {
    return user.kind == LayoutUser::Matmul;
  }

  SmallVector<int64_t> shapeOf(LayoutAttr,
                               const WeightsShape &weights) const override {
    SmallVector<int64_t> shape(weights.batches);
    shape.append({weights.depth, weights.columns});
    return shape;
  }
};

} // namespace

const LayoutFormat &formatOfPlain() {
  static const Plain format;
  return format;
}

} // namespace weir::kernel
