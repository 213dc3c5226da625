// Rough costs of loops.

#include "dialects/kernel/cost/LoopCost.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir::kernel {

double scalarCycles(linalg::LinalgOp op) {
  double points = 1, each = 2;
  for (int64_t range : op.getStaticLoopRanges())
    points *= range;
  for (Operation &inner : op.getBlock()->without_terminator())
    each += isa<math::MathDialect>(inner.getDialect()) ? 20 : 1.2;
  return points * each;
}

double vectorCycles(linalg::LinalgOp op) { return scalarCycles(op) * 0.1; }

} // namespace weir::kernel
