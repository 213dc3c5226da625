// How many threads share work, and rough costs of loops.

#include "dialects/kernel/Sharing.h"

#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir {

int64_t slotsOf(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto slots = module ? attrs::slots.of(module) : nullptr;
  return slots ? std::max<int64_t>(1, slots.getInt()) : 1;
}

std::optional<RowBlocks> RowBlocks::of(Operation *op) {
  auto kernel = dyn_cast<func::FuncOp>(op);
  if (!kernel)
    kernel = op->getParentOfType<func::FuncOp>();
  RowBlocksAttr blocks = kernel ? attrs::rowBlocks.of(kernel) : nullptr;
  if (!blocks)
    return std::nullopt;
  return RowBlocks{blocks.getRows(), blocks.getSize()};
}

int64_t evenPart(int64_t whole, int64_t most) {
  int64_t part = std::min(most, whole);
  while (whole % part)
    --part;
  return part;
}

double scalarTime(linalg::LinalgOp op) {
  double points = 1, each = 0.5;
  for (int64_t range : op.getStaticLoopRanges())
    points *= range;
  for (Operation &inner : op.getBlock()->without_terminator())
    each += isa<math::MathDialect>(inner.getDialect()) ? 5 : 0.3;
  return points * each;
}

double vectorTime(linalg::LinalgOp op) { return scalarTime(op) * 0.1; }

} // namespace weir
