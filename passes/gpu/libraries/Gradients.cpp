// Gradients of convolutions by their filters, as cuDNN computes them.

#include "passes/gpu/Precision.h"
#include "passes/gpu/libraries/Libraries.h"
#include "passes/gpu/libraries/Problem.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::gpu {
namespace {

Problem problemOf(graph::FilterGradientOp op) {
  return Problem(op.getX().getType(), op.getType(), op.getResults().getType(),
                 op.getWindow(), op.getStrides(), op.getDilations(),
                 op.getPaddingLow(), static_cast<int64_t>(op.getGroups()));
}

} // namespace

bool isForLibrary(graph::FilterGradientOp op, bool isForced) {
  // Constants of one value become a part of kernels: they are in no memory.
  if (llvm::any_of(op->getOperands(),
                   [](Value x) { return matchPattern(x, m_Constant()); }))
    return false;
  Problem problem = problemOf(op);
  return problem.isKnown && (isForced || problem.isWorthCalling());
}

ConvAttr gradientOf(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  auto op = dyn_cast<graph::FilterGradientOp>(body.front());
  if (!op || op->getNextNode() != body.getTerminator())
    return {};
  Problem problem = problemOf(op);
  auto x = dyn_cast<BlockArgument>(op.getX()),
       results = dyn_cast<BlockArgument>(op.getResults());
  if (!problem.isKnown || !x || !results)
    return {};
  int64_t operands[] = {int64_t(x.getArgNumber()),
                        int64_t(results.getArgNumber()), -1, -1};
  return problem.record(kernel.getContext(), /*epilogue=*/nullptr,
                        problem.element().isF32() && isForTf32(op), operands);
}

} // namespace weir::gpu
