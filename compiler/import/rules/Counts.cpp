// How many numbers there are, and each by its index.

#include "compiler/import/rules/Counts.h"

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/bounded/ranges/Cases.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir {

Expr stepsBetween(Expr start, Expr limit, Expr step) {
  if (isa<FloatType>(start.elementType()))
    return apply<graph::CeilOp>((limit - start) / step);
  // Rounded up: minus the quotient of the negative, rounded down.
  return -apply<graph::FloorDivOp>(start - limit, step);
}

LogicalResult giveCounted(TracedNode &node, Expr first, Expr last, Expr by,
                          bool mayBeNone) {
  ImplicitLocOpBuilder &b = node.b;
  Type type = first.elementType();
  // Counts are whole numbers below 2^53, which f64 holds.
  bool isFloat = isa<FloatType>(type);
  Type wide = isFloat ? Type(b.getF64Type()) : Type(b.getI64Type());
  Expr start = cast(first, wide), limit = cast(last, wide),
       step = cast(by, wide);
  auto from = knownNumber(start.value), to = knownNumber(limit.value);
  if (int64_t span; from && to && llvm::SubOverflow(*to, *from, span))
    return node.error() << "counts from " << *from << " to " << *to;
  if (knownNumber(step.value) == 0 ||
      matchPattern(by.value, m_AnyZeroFloat()) ||
      matchPattern(step.value, m_AnyZeroFloat()))
    return node.error() << "counts by steps of 0";
  require(node, apply<graph::NotEqualOp>(step, step.like(0)),
          "counts by steps of 0");
  Expr count;
  if (isFloat) {
    count = cast(stepsBetween(start, limit, step), b.getI64Type());
  } else if (knownNumber(step.value) == 1) {
    count = knownNumber(start.value) == 0 ? limit : limit - start;
  } else {
    Expr safe =
        select(apply<graph::EqualOp>(step, step.like(0)), step.like(1), step);
    count = stepsBetween(start, limit, safe);
  }
  if (mayBeNone && !(intervalOf(count.value).low >= 0))
    count = maximum(count, number(b, 0));
  auto sizes = sizesFrom(node, {count.value});
  if (failed(sizes))
    return failure();
  auto position = RankedTensorType::get(boundsOf(*sizes), type);
  Expr index(b, make<graph::IotaOp>(b, position, 0));
  return node.tracedResults({withSizes((first + index * by).value, *sizes)});
}

} // namespace weir
