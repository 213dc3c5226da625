// Which constant weights of bytes get the VNNI layout, for dot products of
// bytes.

#include "passes/lower/layouts/VnniLayouts.h"

#include "dialects/kernel/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir::lower {

std::optional<kernel::LayoutAttr> vnniLayoutOf(kernel::PackOpInterface pack) {
  bool isPack = isa<kernel::PackOp, kernel::PackFilterOp>(pack.getOperation());
  if (!isPack || !kernel::Target::of(pack).dots)
    return std::nullopt;
  kernel::WeightsSource weights = pack.getSource();
  if (!weights.batches.empty())
    return std::nullopt;
  if (kernel::MatmulOp product = productOf(pack)) {
    auto out = cast<ShapedType>(product.getOut().getType());
    if (!product.getUnsignedA() || product.getTransposeA() ||
        weights.rows() != weights.depth ||
        (out.getRank() > 2 && !product.getShared()))
      return std::nullopt;
  } else if (kernel::ConvolutionOp convolution = convolutionOf(pack)) {
    if (!convolution.getUnsignedX() ||
        (weights.groups > 1 && weights.depth % 4))
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  auto panels = cast<ShapedType>(pack->getResult(0).getType());
  return kernel::LayoutAttr::get(pack->getContext(), kernel::LayoutKind::Vnni,
                                 panels.getShape().back());
}

kernel::PackOpInterface packDepthwise(Operation *flatten) {
  auto flat = dyn_cast<tensor::CollapseShapeOp>(flatten);
  if (!flat || !flat.getResult().hasOneUse() ||
      !kernel::Target::of(flatten).dots)
    return nullptr;
  auto op = dyn_cast<kernel::DepthwiseOp>(*flat.getResult().user_begin());
  RankedTensorType from = flat.getSrcType();
  if (!op || !op.getUnsignedX() || op.getFilter() != flat.getResult() ||
      from.getRank() != 4)
    return nullptr;
  OpBuilder b(flatten);
  int64_t rows = from.getDimSize(0);
  auto layout = kernel::LayoutAttr::get(b.getContext(),
                                        kernel::LayoutKind::VnniRows, rows);
  kernel::WeightsShape weights;
  weights.taps = {rows, from.getDimSize(1)};
  weights.depth = from.getDimSize(2), weights.columns = from.getDimSize(3);
  auto type = from.clone(layout.getFormat().shapeOf(layout, weights));
  Value empty = b.create<tensor::EmptyOp>(flat.getLoc(), type.getShape(),
                                          type.getElementType());
  auto pack = b.create<kernel::PackFilterOp>(flat.getLoc(), type, flat.getSrc(),
                                             empty, layout, /*groups=*/1);
  op.getFilterMutable().assign(pack.getResult(0));
  op.setLayoutAttr(layout);
  flat.erase();
  return cast<kernel::PackOpInterface>(pack.getOperation());
}

} // namespace weir::lower
