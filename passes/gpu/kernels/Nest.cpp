// One iteration of a loop nest on buffers: its operands and its results.

#include "passes/gpu/kernels/Nest.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace weir::gpu {

Nest::Nest(ThreadBuilder &b, linalg::LinalgOp op)
    : op(op), ranges(op.getStaticLoopRanges()), at(ranges.size()), b(b) {}

Value Nest::apply(AffineExpr expression) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return at[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return b.index(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Value left = apply(binary.getLHS()), right = apply(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return b.create<arith::AddIOp>(left, right);
  case AffineExprKind::Mul:
    return b.create<arith::MulIOp>(left, right);
  case AffineExprKind::Mod:
    return b.create<arith::RemSIOp>(left, right);
  case AffineExprKind::CeilDiv:
    return b.create<arith::CeilDivSIOp>(left, right);
  default:
    return b.create<arith::FloorDivSIOp>(left, right);
  }
}

SmallVector<Value> Nest::indices(OpOperand &operand) {
  SmallVector<Value> result;
  for (AffineExpr e : op.getMatchingIndexingMap(&operand).getResults())
    result.push_back(apply(e));
  return result;
}

Value Nest::load(OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return b.load(operand.get(), indices(operand));
}

void Nest::store(ValueRange values) {
  for (auto [init, value] : llvm::zip_equal(op.getDpsInitsMutable(), values))
    b.store(value, init.get(), indices(init));
}

SmallVector<Value>
Nest::compute(ArrayRef<Value> last,
              llvm::function_ref<Value(OpOperand &)> operand) {
  Block *body = op.getBlock();
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!argument.use_empty())
      mapping.map(argument, operand(*input));
  }
  for (auto [argument, value] : llvm::zip_equal(op.getRegionOutputArgs(), last))
    if (value)
      mapping.map(argument, value);
  for (Operation &inner : body->without_terminator()) {
    Operation *copy = b.clone(inner, mapping);
    copy->walk([&](linalg::IndexOp index) {
      Value value = at[index.getDim()];
      if (index == copy)
        for (auto [from, to] :
             llvm::zip_equal(inner.getResults(), ValueRange(value)))
          mapping.map(from, to);
      index.getResult().replaceAllUsesWith(value);
      index.erase();
    });
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

SmallVector<Value> Nest::compute(ArrayRef<Value> last) {
  return compute(last, [&](OpOperand &operand) { return load(operand); });
}

} // namespace weir::gpu
