// Corrects means along dynamic dimensions in handlers that divide by the number
// of elements of the whole buffer.

#include "compiler/import/bounded/Dims.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"

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
  bool hasDynamic = false;
  for (int64_t dim : sum.getDimensions())
    for (const Factor &factor : dims[dim]) {
      hasDynamic |= factor.isDynamic();
      bound *= static_cast<double>(factor.bound);
      count = count * (factor.isDynamic() ? exactly(early, factor)
                                          : number(early, factor.bound));
    }
  if (!hasDynamic || bound != *divisor)
    return;
  RankedTensorType type = typeOf(op->getOperand(1));
  count = cast(count, type.getElementType());
  op->setOperand(1, broadcast(count, type.getShape()).value);
}

LogicalResult Inference::visitTotal(Operation *op) {
  Dims summed = totals.lookup(op->getOperand(0));
  if (isa<graph::ReshapeOp, graph::CastOp>(op)) {
    totals[op->getResult(0)] = summed;
    return success();
  }
  DenseElementsAttr divisor;
  if (!isa<graph::DivOp>(op) || !summed.size() ||
      !matchPattern(op->getOperand(1), m_Constant(&divisor)) ||
      !divisor.isSplat() || !isa<FloatType>(divisor.getElementType()))
    return refuse(op);
  // The bounds' product must be what the handler divides by.
  double room = 1;
  Sizes sizes;
  for (const Dim &dim : summed)
    for (const Factor &factor : dim) {
      room *= static_cast<double>(factor.bound);
      sizes.push_back(
          {factor.bound, factor.isDynamic() ? factor.exact : Value()});
    }
  APFloat wanted(room);
  bool isInexact;
  wanted.convert(divisor.getSplatValue<APFloat>().getSemantics(),
                 APFloat::rmNearestTiesToEven, &isInexact);
  if (!wanted.bitwiseIsEqual(divisor.getSplatValue<APFloat>()))
    return refuse(op);
  Expr count =
      cast(product(early, sizes, 0, sizes.size()), divisor.getElementType());
  ArrayRef<int64_t> shape = typeOf(op->getOperand(1)).getShape();
  op->setOperand(1, broadcast(count, shape).value);
  return success();
}

} // namespace weir
