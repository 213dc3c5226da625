// Constant weights in words of four bytes, for the dot products of AVX-512
// VNNI.

#include "passes/lower/weights/WordWeights.h"

#include "dialects/kernel/Target.h"
#include "passes/lower/weights/TileWeights.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir {

std::optional<WordPacking> WordPacking::of(Operation *user) {
  Value made = user->getResult(0);
  if (!made.hasOneUse() || !kernel::Target::of(user).dots)
    return std::nullopt;
  WordPacking packing;
  auto from = cast<RankedTensorType>(user->getOperand(0).getType());
  auto to = cast<RankedTensorType>(made.getType());
  Operation *reader = *made.user_begin();
  SmallVector<int64_t> shape;
  if (auto depthwise = dyn_cast<kernel::DepthwiseOp>(reader)) {
    if (!isa<tensor::CollapseShapeOp>(user) || !depthwise.getUnsignedX() ||
        depthwise.getFilter() != made || from.getRank() != 4)
      return std::nullopt;
    packing.kernel = depthwise;
    packing.rows = from.getDimSize(0);
    packing.across = from.getDimSize(1);
    packing.channels = from.getDimSize(3);
    shape = {int64_t(llvm::divideCeil(packing.channels, 64)), packing.across,
             int64_t(llvm::divideCeil(packing.rows, 4)), 64, 4};
    packing.words = from.clone(shape);
    return packing;
  }

  packing.width = to.getShape().back();
  if (auto pack = dyn_cast<kernel::PackOp>(user)) {
    bool transposed = pack.getTransposeB();
    if (from.getRank() != 2)
      return std::nullopt;
    packing.depth = from.getDimSize(transposed);
    packing.columns = from.getDimSize(!transposed);
    packing.depthStride = transposed ? 1 : packing.columns;
    packing.columnStride = transposed ? packing.depth : 1;
  } else if (auto pack = dyn_cast<kernel::PackFilterOp>(user)) {
    int64_t outputs = from.getShape().back();
    packing.groups = pack.getGroups();
    packing.depth = from.getDimSize(from.getRank() - 2);
    packing.columns = outputs / packing.groups;
    packing.depthStride = outputs;
    packing.taps = from.getNumElements() / (packing.depth * outputs);
  } else {
    return std::nullopt;
  }
  int64_t deep = llvm::divideCeil(packing.depth, 4);
  if (kernel::MatmulOp product = productOf(user)) {
    if (!product.getUnsignedA() || product.getTransposeA() ||
        packing.taps != 1 ||
        (cast<ShapedType>(product.getOut().getType()).getRank() > 2 &&
         !product.getShared()))
      return std::nullopt;
    packing.kernel = product;
    shape = {to.getDimSize(0), deep, packing.width, 4};
  } else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(reader)) {
    if (!convolution.getUnsignedX() || convolution.getFilter() != made ||
        (packing.groups > 1 && packing.depth % 4))
      return std::nullopt;
    packing.kernel = convolution;
    llvm::append_range(shape, to.getShape().drop_back(2));
    shape.append({deep, packing.width, 4});
  } else {
    return std::nullopt;
  }
  packing.words = to.clone(shape);
  return packing;
}

void WordPacking::runDepthwise(const char *from, char *to) const {
  int64_t deep = llvm::divideCeil(rows, 4);
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < across; ++x)
      for (int64_t c = 0; c < channels; ++c) {
        int64_t in = c % 16 / 4 * 16 + c % 64 / 16 * 4 + c % 4;
        int64_t block = (c / 64 * across + x) * deep + y / 4;
        to[(block * 64 + in) * 4 + y % 4] = *from++;
      }
}

void WordPacking::run(const char *from, char *to) const {
  if (rows)
    return runDepthwise(from, to);
  int64_t panels = llvm::divideCeil(columns, width);
  int64_t deep = llvm::divideCeil(depth, 4);
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t n = 0; n < columns; ++n) {
          int64_t line = ((g * panels + n / width) * taps + tap) * deep + k / 4;
          to[(line * width + n % width) * 4 + k % 4] =
              from[(tap * depth + k) * depthStride +
                   (g * columns + n) * columnStride];
        }
}

void WordPacking::give(Operation *user, Value packed) const {
  auto layout = [&](kernel::LayoutKind kind, int64_t number) {
    return kernel::LayoutAttr::get(user->getContext(), kind, number);
  };
  if (auto depthwise = dyn_cast<kernel::DepthwiseOp>(kernel)) {
    depthwise.getFilterMutable().assign(packed);
    depthwise.setLayoutAttr(layout(kernel::LayoutKind::VnniRows, rows));
  } else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(kernel)) {
    convolution.getFilterMutable().assign(packed);
    convolution.setLayoutAttr(layout(kernel::LayoutKind::Vnni, width));
  } else {
    auto product = cast<kernel::MatmulOp>(kernel);
    Operation *between = product.getB().getDefiningOp();
    product.getBMutable().assign(packed);
    product.setLayoutAttr(layout(kernel::LayoutKind::Vnni, width));
    if (between != user)
      between->erase();
  }
}

} // namespace weir
