// The gradient of a conditional: each branch recomputes its values, then
// computes gradients.

#include "passes/grad/Reverse.h"

#include "dialects/graph/Gradients.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace weir::grad {

FailureOr<Values> reverseIf(OpBuilder &builder, graph::IfOp op,
                            ArrayRef<Value> seeds, ValueRange wanted) {
  Location loc = gradientLocation(op.getLoc());
  auto result =
      builder.create<graph::IfOp>(loc, wanted.getTypes(), op.getCondition());
  for (auto [from, to] : llvm::zip(op->getRegions(), result->getRegions())) {
    OpBuilder inner = OpBuilder::atBlockEnd(&to.emplaceBlock());
    IRMapping map;
    // The forward pass has already verified the checks.
    for (Operation &forward : from.front().without_terminator())
      if (!isa<graph::CheckOp>(forward))
        inner.clone(forward, map);
    Values results;
    for (Value value : from.front().getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(value));
    auto yield = inner.create<graph::YieldOp>(loc, ValueRange());
    auto gradients = reverse(yield, results, seeds, wanted);
    if (failed(gradients)) {
      result.erase();
      return failure();
    }
    ImplicitLocOpBuilder b(loc, yield);
    for (auto [gradient, value] : llvm::zip(*gradients, wanted))
      if (!gradient)
        gradient = graph::filledLike(graph::Expr(b, value), 0).value;
    yield->setOperands(*gradients);
  }
  return Values(result.result_begin(), result.result_end());
}

} // namespace weir::grad
