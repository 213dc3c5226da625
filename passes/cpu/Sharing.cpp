// Rough costs of loops as the vectorizer emits them.

#include "passes/cpu/Sharing.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/weir/Attributes.h"
#include "passes/cpu/loops/LoopNest.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace weir::cpu {

double loopCycles(linalg::LinalgOp op) {
  double bytes = 0;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      bytes += double(type.getNumElements()) *
               llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return std::max(kernel::movingCycles(bytes), LoopNest(op).applies()
                                                   ? kernel::vectorCycles(op)
                                                   : kernel::scalarCycles(op));
}

namespace {

/// Adds up the cycles of the ops of a function, from outer to inner ones.
class Sum {
public:
  WalkResult add(Operation *op) {
    auto around = op->getParentOfType<scf::ForOp>();
    double times = around ? iterations.lookup(around) : 1;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return add(loop, times);
    if (auto loops = dyn_cast<linalg::LinalgOp>(op))
      return add(loops, around, times);
    bool isLoop = isa<LoopLikeOpInterface>(op);
    if (isLoop || (around && isa<kernel::KernelDialect>(op->getDialect())))
      return WalkResult::interrupt();
    if (around && op->getNumRegions() == 0)
      addSequential(times * kernel::scalarCycles(op));
    return WalkResult::advance();
  }

  LoopCycles cycles;

private:
  WalkResult add(scf::ForOp loop, double times) {
    if (FloatAttr rows = attrs::rowsApart.of(loop)) {
      double all = times * rows.getValueAsDouble();
      if (all < kernel::worthSharingCycles)
        addSequential(all);
      else
        cycles.total += all;
      return WalkResult::skip();
    }
    if (FloatAttr known = attrs::cycles.of(loop)) {
      addSequential(times * known.getValueAsDouble());
      return WalkResult::skip();
    }
    std::optional<double> own = kernel::iterationsOf(loop);
    if (!own)
      return WalkResult::interrupt();
    iterations[loop] = times * *own;
    return WalkResult::advance();
  }

  /// A copy of a buffer that is then written in part is made in place, as a
  /// rule.
  WalkResult add(linalg::LinalgOp op, bool isInLoop, double times) {
    WalkResult loops =
        op->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); });
    if (loops.wasInterrupted())
      return WalkResult::interrupt();
    double all = isa<linalg::CopyOp>(op) ? 0 : times * loopCycles(op);
    if (isInLoop)
      addSequential(all);
    else
      cycles.total += all;
    return WalkResult::skip();
  }

  void addSequential(double more) {
    cycles.total += more;
    cycles.sequential += more;
  }

  DenseMap<Operation *, double> iterations; // with those of loops around
};

} // namespace

std::optional<LoopCycles> LoopCycles::of(Operation *function) {
  Sum sum;
  WalkResult result = function->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return sum.add(op); });
  if (result.wasInterrupted())
    return std::nullopt;
  return sum.cycles;
}

} // namespace weir::cpu
