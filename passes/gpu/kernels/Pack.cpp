// Packs by threads: each copies one element into a panel, or writes a zero of
// the padding.

#include "passes/gpu/kernels/Threads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::gpu {
namespace {

/// Stores the element of `from` at `source` if `inside`, else zero.
void copyOrZero(ThreadBuilder &b, Value inside, Value from, ValueRange source,
                Value to, ValueRange target) {
  Type element = cast<MemRefType>(to.getType()).getElementType();
  auto branch = b.create<scf::IfOp>(TypeRange(element), inside,
                                    /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    b.create<scf::YieldOp>(b.load(from, source));
    b.setInsertionPointToEnd(branch.elseBlock());
    b.create<scf::YieldOp>(b.zero(element));
  }
  b.store(branch.getResult(0), to, target);
}

Value isBelow(ThreadBuilder &b, Value index, int64_t size) {
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, index,
                                 b.index(size));
}

} // namespace

void sharePack(ThreadBuilder &b, kernel::PackOp op) {
  auto from = cast<MemRefType>(op.getB().getType());
  auto to = cast<MemRefType>(op.getOut().getType());
  int64_t batches = from.getRank() - 2;
  int64_t columns = from.getDimSize(batches + !op.getTransposeB());
  b.workItems(to.getNumElements(), [&](Value workItem) {
    SmallVector<Value> at = b.delinearize(workItem, to.getShape());
    Value panel = at[batches], k = at[batches + 1], lane = at[batches + 2];
    Value column = b.plus(b.times(panel, to.getShape().back()), lane);
    SmallVector<Value> source(ArrayRef<Value>(at).take_front(batches));
    source.append(
        {op.getTransposeB() ? column : k, op.getTransposeB() ? k : column});
    copyOrZero(b, isBelow(b, column, columns), op.getB(), source, op.getOut(),
               at);
  });
}

void sharePackFilter(ThreadBuilder &b, kernel::PackFilterOp op) {
  auto from = cast<MemRefType>(op.getFilter().getType());
  auto to = cast<MemRefType>(op.getOut().getType());
  int64_t outputs = from.getShape().back() / op.getGroups();
  int64_t width = to.getShape().back();
  int64_t panels = llvm::divideCeil(outputs, width);
  b.workItems(to.getNumElements(), [&](Value workItem) {
    SmallVector<Value> at = b.delinearize(workItem, to.getShape());
    Value group = b.dividedBy(at[0], panels);
    Value panel = b.modulo(at[0], panels);
    Value channel = b.plus(b.times(panel, width), at.back());
    SmallVector<Value> source(ArrayRef<Value>(at).drop_front().drop_back());
    source.push_back(b.plus(b.times(group, outputs), channel));
    copyOrZero(b, isBelow(b, channel, outputs), op.getFilter(), source,
               op.getOut(), at);
  });
}

} // namespace weir::gpu
