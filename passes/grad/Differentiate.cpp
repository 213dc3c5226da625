// Replaces graph.gradient by the ops that compute it.

#include "passes/grad/Passes.h"

#include "dialects/graph/Gradients.h"
#include "dialects/graph/gradients/Gradient.h"
#include "dialects/weir/Attributes.h"
#include "passes/grad/Reverse.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#define DEBUG_TYPE "weir-differentiate"

using namespace mlir;

namespace weir::grad {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/grad/Passes.h.inc"

namespace {

LogicalResult expand(graph::GradientOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value loss = op.getLoss();
  Value ones = graph::filledLike(graph::Expr(b, loss), 1).value;
  auto gradients = reverse(op, loss, ones, op.getVariables());
  if (failed(gradients))
    return failure();
  for (auto [i, gradient] : llvm::enumerate(*gradients)) {
    if (!gradient)
      gradient =
          graph::filledLike(graph::Expr(b, op.getVariables()[i]), 0).value;
    op.getResult(i).replaceAllUsesWith(gradient);
  }
  op.erase();
  return success();
}

struct Differentiate : impl::DifferentiateBase<Differentiate> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // They are in program order, because a loss may depend on an earlier
    // gradient.
    SmallVector<graph::GradientOp> requested;
    function.walk([&](graph::GradientOp op) { requested.push_back(op); });
    for (graph::GradientOp op : requested) {
      if (op->getBlock() != &function.getBody().front()) {
        op.emitError("stands in a region");
        return signalPassFailure();
      }
      if (failed(expand(op)))
        return signalPassFailure();
    }
    if (!requested.empty())
      attrs::differentiated.set(function);
    function.walk([](Operation *op) {
      if (isa<graph::BarrierOp, graph::StopGradientOp>(op)) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      }
    });
  }
};

} // namespace
} // namespace weir::grad
