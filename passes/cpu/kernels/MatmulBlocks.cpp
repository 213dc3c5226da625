// The loops of a product: sizes that follow from its shape and its schedule.

#include "passes/cpu/kernels/MatmulBlocks.h"

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace weir::cpu {

kernel::PackOp packBefore(kernel::MatmulOp op) {
  auto buffer = op.getB().getDefiningOp<memref::AllocOp>();
  if (op.getShared() || !buffer || !llvm::hasNItems(buffer->getUsers(), 2))
    return {};
  kernel::PackOp pack;
  for (Operation *user : buffer->getUsers())
    if (auto packs = dyn_cast<kernel::PackOp>(user))
      pack = packs;
  if (!pack || pack.getOut() != buffer || pack.getB() == op.getOut() ||
      pack.getLayout() != op.getLayout() ||
      pack->getBlock() != op->getBlock() || !pack->isBeforeInBlock(op))
    return {};
  // The packed operand must not change between packing and product.
  for (Operation *between = pack->getNextNode(); between != op;
       between = between->getNextNode())
    if (!isMemoryEffectFree(between) && !isa<memref::AllocOp>(between))
      return {};
  return pack;
}

MatmulBlocks::MatmulBlocks(kernel::MatmulOp op, const kernel::Target &target)
    : MatmulShape(MatmulShape::of(op, target)),
      MatmulSchedule(
          cast<kernel::MatmulScheduleAttr>(op.getScheduleAttr()).getValue()) {
  splitRows = isByRowBlocks() ? RowBlocks::of(op)->size : rows;
}

int64_t MatmulBlocks::tileSums() const {
  return EvenSplit(alikeRows(), tileRows).most() *
         llvm::divideCeil(std::min(columns, tileColumns), lanes);
}

int64_t MatmulBlocks::setsOver(int64_t count) const {
  int64_t sets = 1;
  while (sets < accumulatorSets && sets * 2 <= count)
    sets *= 2;
  return sets;
}

DepthPart DepthPart::all(Emitter &e, int64_t depth) {
  return {e.index(0), depth, /*begins=*/nullptr, /*ends=*/true};
}

// The last block of a sum, and a smaller one, have code of their own.
void DepthPart::eachBlock(Emitter &e, int64_t size,
                          function_ref<void(const DepthPart &)> body) const {
  if (count <= size)
    return body(*this);
  int64_t rest = (count - 1) % size + 1;
  bool apart = ends || rest < size;
  int64_t alike = apart ? count - rest : count;
  e.loop(e.index(0), e.index(alike), size, [&](Value k) {
    Value here = begins;
    if (alike > size) {
      here = e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, k, e.index(0));
      if (begins)
        here = e.create<arith::AndIOp>(begins, here);
    }
    body({e.plus(first, k), size, here, /*ends=*/false});
  });
  if (!apart)
    return;
  Value no = e.create<arith::ConstantIntOp>(0, e.getI1Type());
  body({e.plus(first, alike), rest, no, ends});
}

} // namespace weir::cpu
