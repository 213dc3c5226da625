// The layout for inner-product pairing: panels of scaled columns, with two
// trailer rows.

#include "dialects/kernel/Layout.h"
#include "dialects/kernel/Pairs.h"

using namespace mlir;

namespace weir::kernel {
namespace {

struct Pairing : LayoutFormat {
  bool acceptsNumbers(ArrayRef<int64_t> numbers) const override {
    return llvm::all_of(numbers, [](int64_t size) { return size > 0; });
  }

  bool serves(LayoutAttr layout, const LayoutUser &user) const override {
    const WeightsShape &weights = user.weights;
    if (!user.stored.isF32() || !weights.batches.empty() ||
        weights.groups != 1 || weights.depth <= 0)
      return false;
    bool isWindowed = user.kind == LayoutUser::Convolution;
    if (layout.getWindow().size() != (isWindowed ? weights.taps.size() : 0))
      return false;
    return user.kind == LayoutUser::Pack ||
           (user.kind != LayoutUser::Depthwise && user.left.isF32() &&
            user.sum.isF32() && !user.isUnsigned && !user.transposesLeft);
  }

  SmallVector<int64_t> shapeOf(LayoutAttr,
                               const WeightsShape &weights) const override {
    int64_t rows = weights.depth;
    for (int64_t size : weights.taps)
      if (llvm::MulOverflow(rows, size, rows))
        return {};
    if (llvm::AddOverflow(rows, Pairs::linesAfter, rows))
      return {};
    return {llvm::divideCeilSigned(weights.columns, Pairs::panelWidth), rows,
            Pairs::panelWidth};
  }
};

} // namespace

const LayoutFormat &formatOfPairing() {
  static const Pairing format;
  return format;
}

} // namespace weir::kernel
