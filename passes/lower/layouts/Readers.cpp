// The kernels that read packed weights, and the change of their layout.

#include "passes/lower/layouts/Readers.h"

#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir::lower {

/// The value that a kernel reads: a filter of windows of one element is flat.
static Value readValue(Operation *pack) {
  Value packed = pack->getResult(0);
  if (packed.hasOneUse())
    if (auto flat = dyn_cast<tensor::CollapseShapeOp>(*packed.user_begin()))
      return flat.getResult();
  return packed;
}

kernel::MatmulOp productOf(Operation *pack) {
  if (pack->getNumResults() != 1 || !pack->getResult(0).hasOneUse())
    return nullptr;
  Value weights = readValue(pack);
  if (!weights.hasOneUse())
    return nullptr;
  auto product = dyn_cast<kernel::MatmulOp>(*weights.user_begin());
  return product && product.getB() == weights ? product : nullptr;
}

kernel::ConvolutionOp convolutionOf(Operation *pack) {
  if (!isa<kernel::PackFilterOp>(pack) || pack->getNumResults() != 1 ||
      !pack->getResult(0).hasOneUse())
    return nullptr;
  Value filter = pack->getResult(0);
  auto op = dyn_cast<kernel::ConvolutionOp>(*filter.user_begin());
  return op && op.getFilter() == filter ? op : nullptr;
}

int64_t rowsOf(Value out) {
  auto type = cast<ShapedType>(out.getType());
  return type.getNumElements() / type.getShape().back();
}

Type sumOf(kernel::KernelOpInterface op) {
  return op.getEpilogue().front().getArgument(0).getType();
}

ArrayRef<int64_t> tapsOf(kernel::PackOpInterface pack) {
  return cast<ShapedType>(pack->getOperand(0).getType())
      .getShape()
      .drop_back(2);
}

bool isConstant(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto kernel =
      dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel &&
         attrs::constant.isOnArgument(kernel, argument.getArgNumber());
}

static void setLayout(Operation *reader, kernel::LayoutAttr layout) {
  if (auto product = dyn_cast<kernel::MatmulOp>(reader))
    product.setLayoutAttr(layout);
  else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(reader))
    convolution.setLayoutAttr(layout);
  else if (auto depthwise = dyn_cast<kernel::DepthwiseOp>(reader))
    depthwise.setLayoutAttr(layout);
  else if (auto winograd = dyn_cast<kernel::WinogradOp>(reader))
    winograd.setLayoutAttr(layout);
}

void replacePack(kernel::PackOpInterface pack, Value weights,
                 kernel::LayoutAttr layout) {
  Value before = readValue(pack);
  Operation *flat =
      before == pack->getResult(0) ? nullptr : before.getDefiningOp();
  for (Operation *reader : before.getUsers())
    setLayout(reader, layout);
  before.replaceAllUsesWith(weights);
  if (flat)
    flat->erase();
  Operation *position = pack.getOut().getDefiningOp();
  pack->erase();
  if (position && position->use_empty())
    position->erase();
}

kernel::PackOpInterface repack(kernel::PackOpInterface pack,
                               kernel::LayoutAttr layout, Type element) {
  OpBuilder b(pack);
  kernel::WeightsSource source = pack.getSource();
  bool isFlat = readValue(pack) != pack->getResult(0);
  bool isInPanels = layout.isPanels() || layout.isKMajor();
  auto rank = static_cast<int64_t>(source.taps.size()) + 2;
  // Only panels keep the dimensions of windows of one element.
  if (isFlat && !isInPanels)
    source.taps.clear();
  if (!element)
    element = layout.getFormat().elementOf(layout, source.element);
  auto type = RankedTensorType::get(layout.getFormat().shapeOf(layout, source),
                                    element);
  Value empty = b.create<tensor::EmptyOp>(pack.getLoc(), type.getShape(),
                                          type.getElementType());
  auto made = cast<kernel::PackOpInterface>(b.clone(*pack.getOperation()));
  made->setOperand(made->getNumOperands() - 1, empty);
  made->getResult(0).setType(type);
  made.setLayoutAttr(layout);
  Value weights = made->getResult(0);
  if (isFlat && isInPanels) {
    SmallVector<ReassociationIndices> panels = {{0}, {}, {rank}};
    for (int64_t i = 1; i < rank; ++i)
      panels[1].push_back(i);
    weights = b.create<tensor::CollapseShapeOp>(pack.getLoc(), weights, panels);
  }
  replacePack(pack, weights, layout);
  return made;
}

} // namespace weir::lower
