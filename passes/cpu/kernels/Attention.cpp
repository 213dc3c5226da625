// Finds the attention that a kernel on buffers is.

#include "passes/cpu/kernels/Attention.h"

#include "passes/cpu/loops/Slices.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace weir {

static bool isPlain(kernel::MatmulOp op) {
  kernel::LayoutAttr layout = op.getLayout();
  return op.hasPureBufferSemantics() && !op.getUnsignedA() &&
         (layout.isPlain() || layout.isPanels() || layout.isKMajor());
}

static bool isSamePlace(linalg::LinalgOp op, OpOperand &a, OpOperand &b) {
  AffineMap map = op.getMatchingIndexingMap(&a);
  return map.isIdentity() && map == op.getMatchingIndexingMap(&b) &&
         a.get().getType() == b.get().getType();
}

bool Attention::find() {
  ArrayRef<int64_t> shape = Emitter::shape(last.getOut());
  rows.assign(shape.begin(), shape.end() - 1);
  if (!isPlain(last) || last.getTransposeA() || llvm::is_contained(shape, 0) ||
      !isOwn(last.getA()))
    return false;
  own.insert(last.getA());
  for (Operation *op = last->getPrevNode(); op && !first;
       op = op->getPrevNode())
    if (!take(op))
      return false;
  if (!first)
    return false;
  for (Value buffer : own)
    for (Operation *user : buffer.getUsers())
      if (user != first && user != last && !isa<memref::DeallocOp>(user) &&
          !llvm::is_contained(loops, user))
        return false;
  // What else the products read is all there before, not made row by row.
  for (OpOperand &operand : first->getOpOperands())
    if (operand.get() != first.getOut() && own.contains(operand.get()))
      return false;
  for (OpOperand &operand : last->getOpOperands())
    if (&operand != &last.getAMutable() && own.contains(operand.get()))
      return false;
  std::reverse(loops.begin(), loops.end());
  mergeBuffers();
  return true;
}

/// Whether `op`, which comes before all that was taken, may be there; it is
/// part of the attention if it makes what that uses.
bool Attention::take(Operation *op) {
  if (auto product = dyn_cast<kernel::MatmulOp>(op)) {
    if (!own.contains(product.getOut()) || !isPlain(product) ||
        Emitter::shape(product.getOut()).drop_back() != ArrayRef<int64_t>(rows))
      return false;
    first = product;
    return true;
  }
  if (auto loop = dyn_cast<linalg::LinalgOp>(op))
    return takeLoop(loop);
  // What is packed is not made in between.
  if (auto pack = dyn_cast<kernel::PackOp>(op))
    return !own.contains(pack.getOut());
  return isMemoryEffectFree(op) || isa<memref::AllocOp>(op);
}

bool Attention::takeLoop(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.hasIndexSemantics() ||
      !isSliceable(op))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto iterators = op.getIteratorTypesArray();
  if (ranges.size() < rows.size() ||
      ArrayRef<int64_t>(ranges).take_front(rows.size()) !=
          ArrayRef<int64_t>(rows) ||
      llvm::is_contained(
          ArrayRef<utils::IteratorType>(iterators).take_front(rows.size()),
          utils::IteratorType::reduction))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (!isOwn(operand.get())) {
      if (op.isDpsInit(&operand))
        return false;
      continue;
    }
    if (!kernel::isByRows(op.getMatchingIndexingMap(&operand), rows.size()))
      return false;
    own.insert(operand.get());
  }
  loops.push_back(op);
  return true;
}

/// Finds buffers that can be one: an element of one is read only where that
/// of the other is written, for the last time.
void Attention::mergeBuffers() {
  for (auto [i, op] : llvm::enumerate(loops)) {
    auto later = ArrayRef<linalg::LinalgOp>(loops).drop_front(i + 1);
    llvm::SmallPtrSet<Value, 2> taken;
    for (OpOperand &written : op.getDpsInitsMutable())
      for (OpOperand *read : op.getDpsInputOperands())
        if (own.contains(read->get()) && read->get() != last.getA() &&
            !op.payloadUsesValueFromOperand(&written) &&
            isSamePlace(op, *read, written) &&
            llvm::none_of(later,
                          [&](linalg::LinalgOp user) {
                            return llvm::is_contained(user->getOperands(),
                                                      read->get());
                          }) &&
            taken.insert(read->get()).second) {
          heldBy[written.get()] = held(read->get());
          break;
        }
  }
}

} // namespace weir
