// Kernels in parts that may run at once.

#include "dialects/weir/Attributes.h"
#include "passes/cpu/kernels/Emitter.h"

#include "passes/cpu/Sharing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::cpu {

void Emitter::parallel(int64_t count, bool coarse,
                       function_ref<void(Value, Value)> body, bool rowWise) {
  if (!shared || count < 2)
    return body(index(0), index(count));
  auto loop = create<kernel::ParallelOp>(count, coarse);
  loop.setRowWise(rowWise);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(&loop.getBody().front());
  body(loop.getFirst(), loop.getLast());
}

void Emitter::parallelRows(const RowBlocks &blocks,
                           function_ref<void(Value, Value)> body) {
  parallel(blocks.count(), /*coarse=*/false, body, /*rowWise=*/true);
}

Value Emitter::alternate(Value &first, Value &end) {
  auto loop =
      dyn_cast<kernel::ParallelOp>(first.getParentBlock()->getParentOp());
  if (!loop)
    return {};
  attrs::alternates.set(loop);
  Value least = smaller(first, end), most = larger(first, end);
  Value backward = create<arith::CmpIOp>(arith::CmpIPredicate::sgt, first, end);
  first = least, end = most;
  return backward;
}

Value Emitter::mirroredIf(Value backward, Value i, Value first, Value end) {
  if (!backward)
    return i;
  Value mirrored = plus(plus(first, end), plus(times(i, -1), -1));
  return create<arith::SelectOp>(backward, mirrored, i);
}

void Emitter::share(double cycles) {
  work = cycles;
  // Parts within a loop would be a region in each round of it.
  Operation *around = getInsertionBlock()->getParentOp();
  shared = isa<func::FuncOp>(around) &&
           (cycles >= kernel::worthSharingCycles || RowBlocks::of(around));
}

} // namespace weir::cpu
