// Reads the sizes of a convolution off its op.

#include "dialects/kernel/schedule/ConvolutionShape.h"

using namespace mlir;

namespace weir::kernel {

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

// Vector code computes it, and its filter is not in the K-major layout.
bool hasConvolutionSchedule(Operation *op) {
  auto convolution = dyn_cast<ConvolutionOp>(op);
  return convolution && (convolution.getLayout().isPanels() ||
                         convolution.getLayout().isVnni());
}

ConvolutionShape::ConvolutionShape(ConvolutionOp op, const Target &target)
    : SpatialWindows(op, shaped(op.getFilter())
                             .getShape()
                             .slice(1, shaped(op.getX()).getRank() - 2)) {
  ShapedType x = shaped(op.getX()), filter = shaped(op.getFilter());
  images = x.getDimSize(0);
  filled = x.getShape().back();
  outChannels = shaped(op.getOut()).getShape().back();
  groups = op.getGroups();
  isVnni = op.getLayout().isVnni();
  unit = isVnni ? 4 : 1;
  channels = llvm::alignTo(filled, unit);
  groupInputs = channels / groups;
  groupOutputs = outChannels / groups;
  panel = op.getLayout().getWidth();
  sumElement = op.getEpilogue().front().getArgument(0).getType();
  xElement = x.getElementType();
  lanes = target.lanesWithin(sumElement, panel);
  copyElement = isVnni ? xElement : sumElement;
  copyBytes = std::max<int64_t>(1, copyElement.getIntOrFloatBitWidth() / 8);
  int64_t bits = std::max(8u, filter.getElementTypeBitWidth());
  filterBytes = filter.getNumElements() * (bits / 8);
  panelBytes = filterBytes / std::max<int64_t>(1, filter.getDimSize(0));
}

} // namespace weir::kernel
