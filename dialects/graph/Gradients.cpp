// Helpers of derivative rules.

#include "dialects/graph/Gradients.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

#include "dialects/graph/GradientEnums.cpp.inc"
#include "dialects/graph/GradientInterfaces.cpp.inc"

namespace weir::graph {

using namespace build;

Expr Gradients::of(unsigned i) {
  if (!results[i])
    results[i] = filledLike(result(i), 0).value;
  return Expr(b, results[i]);
}

void Gradients::give(unsigned i, Expr gradient) {
  if (!gradient) {
    if (!refused)
      refused = i;
    return;
  }
  assert(gradient.type() == op->getOperand(i).getType() &&
         "a gradient has the type of its value");
  operands[i] = gradient.value;
}

Expr filledLike(Expr x, double value) {
  return Expr(*x.b, splat(*x.b, x.type(), value));
}

Expr positive(Expr x) { return apply<GreaterOp>(x, x.like(0)); }

Expr notZero(Expr x) {
  return cast(apply<NotEqualOp>(x, x.like(0)), x.elementType());
}

Expr productOrZero(Expr x, Expr y) {
  DenseElementsAttr known;
  if (matchPattern(y.value, m_Constant(&known)) && known.isSplat() &&
      !known.getSplatValue<APFloat>().isZero())
    return x * y;
  return apply<MulNoNanOp>(x, y);
}

Expr logOrZero(Expr x) {
  Expr safe = select(positive(x), x, x.like(1));
  return apply<LogOp>(safe);
}

// x^(order-1) * exp(-x) / gamma(order), by logarithms.
Expr gammaDensity(Expr order, Expr x) {
  return apply<ExpOp>(apply<XlogyOp>(order - 1.0, x) - x -
                      apply<LgammaOp>(order));
}

Expr iota(ImplicitLocOpBuilder &b, Type elementType, ArrayRef<int64_t> shape,
          int64_t axis) {
  auto type = RankedTensorType::get(shape, elementType);
  return Expr(b, make<IotaOp>(b, type, axis));
}

Expr triangle(Expr x, bool lower, bool strict) {
  ImplicitLocOpBuilder &b = *x.b;
  ArrayRef<int64_t> shape = x.shape().take_back(2);
  Expr row = iota(b, b.getI32Type(), shape, 0),
       column = iota(b, b.getI32Type(), shape, 1);
  if (!lower)
    std::swap(row, column);
  Expr inside = strict ? apply<GreaterOp>(row, column)
                       : apply<GreaterEqualOp>(row, column);
  return select(inside, x, x.like(0));
}

} // namespace weir::graph
