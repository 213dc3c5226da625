// Means along dimensions of open size, in handlers that divide by the number of
// elements of the whole buffer.

#include "compiler/import/bounded/Dims.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"

using namespace mlir;

namespace weir {

/// The number that all elements of a tensor of floats are, where it is known.
static std::optional<double> splatNumber(Value tensor) {
  if (auto broadcast = tensor.getDefiningOp<graph::BroadcastOp>())
    tensor = broadcast.getX();
  std::optional<DenseElementsAttr> elements = knownElements(tensor);
  if (!elements || !elements->isSplat() ||
      !isa<FloatType>(elements->getElementType()))
    return std::nullopt;
  return elements->getSplatValue<FloatAttr>().getValueAsDouble();
}

void Inference::countMean(Operation *op) {
  if (mixing == Mixing::never || !isa<graph::DivOp>(op))
    return;
  std::optional<double> divisor = splatNumber(op->getOperand(1));
  Value total = op->getOperand(0);
  while (auto reshape = total.getDefiningOp<graph::ReshapeOp>())
    total = reshape.getX();
  auto sum = total.getDefiningOp<graph::ReduceSumOp>();
  if (!divisor || !sum)
    return;
  Dims dims = of(sum->getOperand(0));
  Expr count = number(early, 1);
  double bound = 1;
  bool hasOpen = false;
  for (int64_t dim : sum.getDimensions())
    for (const Factor &factor : dims[dim]) {
      hasOpen |= factor.isOpen();
      bound *= static_cast<double>(factor.bound);
      count = count * (factor.isOpen() ? exactly(early, factor)
                                       : number(early, factor.bound));
    }
  if (!hasOpen || bound != *divisor)
    return;
  RankedTensorType type = typeOf(op->getOperand(1));
  count = cast(count, type.getElementType());
  op->setOperand(1, broadcast(count, type.getShape()).value);
}

} // namespace weir
