// Finds the one part of a tensor that a choice changes.

#include "compiler/import/build/Replaced.h"

#include "compiler/import/Elements.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/state/State.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir {
namespace {

bool outlivesRun(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? isa<func::FuncOp>(argument.getOwner()->getParentOp())
                  : isa<graph::ReadVariableOp>(value.getDefiningOp());
}

/// The one element that all are; null where they may be several.
Value onlyElement(Value value) {
  while (typeOf(value).getNumElements() != 1) {
    auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
    if (!broadcast)
      return {};
    value = broadcast.getX();
  }
  return value;
}

/// The only dimension of more than one element, along which the constant counts
/// from 0.
std::optional<int64_t> countedDimension(Value value) {
  auto elements = knownElements(value);
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  const int64_t *longest = llvm::max_element(shape);
  if (!elements || longest == shape.end() || *longest < 2 ||
      typeOf(value).getNumElements() != *longest)
    return std::nullopt;
  for (auto [i, element] : llvm::enumerate(elements->getValues<APInt>()))
    if (element != i)
      return std::nullopt;
  return longest - shape.begin();
}

} // namespace

Expr replacedPart(Expr condition, Expr x, Expr y) {
  auto equal = condition.value.getDefiningOp<graph::EqualOp>();
  if (!equal || !outlivesRun(y.value))
    return {};
  for (unsigned i : {0, 1}) {
    Value counted = equal->getOperand(i), other = equal->getOperand(1 - i);
    if (!typeOf(counted).getElementType().isIntOrIndex() ||
        typeOf(counted).getElementType().isInteger(1))
      continue;
    Value index = onlyElement(other);
    std::optional<int64_t> at = countedDimension(counted);
    if (!index || !at)
      continue;
    int64_t dim = y.rank() - typeOf(counted).getRank() + *at;
    SmallVector<int64_t> part(y.shape());
    if (typeOf(counted).getRank() > y.rank() ||
        part[dim] != typeOf(counted).getDimSize(*at))
      continue;
    double size = static_cast<double>(part[dim]);
    part[dim] = 1;
    auto common = broadcastShapes(x.shape(), part);
    if (failed(common) || *common != part)
      continue;
    ImplicitLocOpBuilder &b = *y.b;
    Expr position = cast(reshape(Expr(b, index), {}), b.getI64Type());
    Expr inside = apply<graph::LogicalAndOp>(
        apply<graph::GreaterEqualOp>(position, position.like(0)),
        apply<graph::LessOp>(position, position.like(size)));
    SmallVector<Value> starts(part.size(), position.like(0).value);
    starts[dim] = position.value;
    Expr old(b, make<graph::DynamicSliceOp>(b, y.value, starts, part));
    Expr next = select(broadcast(inside, part), broadcast(x, part), old);
    return Expr(
        b, make<graph::DynamicUpdateSliceOp>(b, y.value, next.value, starts));
  }
  return {};
}

} // namespace weir
