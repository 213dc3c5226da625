// Gradients of convolutions by their filters, as cuDNN computes them.

#include "dialects/libraries/FilterGradients.h"
#include "dialects/target/Precision.h"
#include "passes/lower/libraries/Libraries.h"

using namespace mlir;
using namespace weir::libraries;

namespace weir::lower {

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
  return problem.record(kernel.getContext(), /*end=*/nullptr,
                        problem.element().isF32() && isForTf32(op), operands);
}

} // namespace weir::lower
