// The VNNI layout: panels of bytes whose rows are interleaved by four, for sums
// of four products.

#include "dialects/kernel/Layout.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct Vnni : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return numbers.size() == 1 && numbers[0] > 0;
  }

  bool serves(LayoutAttr, const LayoutUser &user) const override {
    bool isProduct =
        user.kind == LayoutUser::Matmul || user.kind == LayoutUser::Convolution;
    return isProduct && user.isUnsigned && !user.transposesLeft &&
           user.weights.batches.empty();
  }

  SmallVector<int64_t> shapeOf(LayoutAttr layout,
                               const WeightsShape &weights) const override {
    WeightsShape fours = weights;
    fours.depth = llvm::divideCeilSigned(weights.depth, 4);
    SmallVector<int64_t> shape = panelsShape(fours, layout.getWidth());
    shape.push_back(4);
    return shape;
  }
};

} // namespace

const LayoutFormat &formatOfVnni() {
  static const Vnni format;
  return format;
}

} // namespace weir::kernel
