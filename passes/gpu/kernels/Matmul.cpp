// A thread computes one element of a matrix product.

#include "passes/gpu/kernels/Threads.h"

using namespace mlir;

namespace weir::gpu {

void shareMatmul(ThreadBuilder &b, kernel::MatmulOp op) {
  auto out = cast<MemRefType>(op.getOut().getType());
  auto left = cast<MemRefType>(op.getA().getType());
  auto right = cast<MemRefType>(op.getB().getType());
  int64_t depth =
      left.getDimSize(left.getRank() - (op.getTransposeA() ? 2 : 1));
  Type sumType = op.getEpilogue().front().getArgument(0).getType();
  b.grains(out.getNumElements(), [&](Value grain) {
    SmallVector<Value> at = b.delinearize(grain, out.getShape());
    ArrayRef<Value> batch = ArrayRef<Value>(at).drop_back(2);
    Value row = at[at.size() - 2], column = at.back();
    int64_t width = right.getShape().back();
    Value panel, lane = column;
    if (op.isPacked()) {
      panel = b.dividedBy(column, width);
      lane = b.modulo(column, width);
    }
    auto sum = b.loop(depth, b.zero(sumType), [&](Value k, ValueRange sum) {
      SmallVector<Value> a(batch), from;
      a.append({op.getTransposeA() ? k : row, op.getTransposeA() ? row : k});
      if (!op.getShared())
        llvm::append_range(from, batch);
      if (panel)
        from.push_back(panel);
      from.append({k, lane});
      return SmallVector<Value>{
          b.multiplyAdd(b.load(op.getA(), a), b.load(op.getB(), from), sum[0])};
    });
    finish(b, op, sum[0], at);
  });
}

} // namespace weir::gpu
