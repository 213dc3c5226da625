// Rough costs of loops.

#include "dialects/kernel/cost/LoopCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::kernel {

namespace {

/// The least and the greatest value of an index.
struct Range {
  double least, greatest;

  double mean() const { return (least + greatest) / 2; }
};

} // namespace

/// The range of a constant, of the variable of a loop, or of their sum.
static std::optional<Range> rangeOf(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return Range{double(*constant), double(*constant)};
  if (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    std::optional<Range> left = rangeOf(sum.getLhs()),
                         right = rangeOf(sum.getRhs());
    if (!left || !right)
      return std::nullopt;
    return Range{left->least + right->least, left->greatest + right->greatest};
  }
  auto variable = dyn_cast<BlockArgument>(index);
  auto loop =
      variable
          ? dyn_cast_or_null<scf::ForOp>(variable.getOwner()->getParentOp())
          : scf::ForOp();
  if (!loop || loop.getInductionVar() != index)
    return std::nullopt;
  std::optional<Range> low = rangeOf(loop.getLowerBound()),
                       high = rangeOf(loop.getUpperBound());
  if (!low || !high)
    return std::nullopt;
  return Range{low->least, std::max(low->least, high->greatest - 1)};
}

std::optional<double> iterationsOf(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<Range> low = rangeOf(loop.getLowerBound()),
                       high = rangeOf(loop.getUpperBound());
  if (!step || *step <= 0 || !low || !high)
    return std::nullopt;
  return std::max(0., (high->mean() - low->mean()) / double(*step));
}

double scalarCycles(Operation *op) {
  if (matchPattern(op, m_Constant()) || op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  return isa<math::MathDialect>(op->getDialect()) ? 20 : 1.2;
}

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
