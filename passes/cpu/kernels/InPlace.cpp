// Finds the inputs of a kernel that each loop reads only at the element that it
// then writes.

#include "passes/cpu/kernels/InPlace.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace weir::cpu {
namespace {

/// The argument that `buffer` is, in one shape or another, where nothing else
/// uses it; null where there is none.
BlockArgument onlyUsed(Value buffer) {
  while (buffer.hasOneUse()) {
    if (auto argument = dyn_cast<BlockArgument>(buffer))
      return argument;
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(
            buffer.getDefiningOp()))
      break;
    buffer = buffer.getDefiningOp()->getOperand(0);
  }
  return {};
}

} // namespace

SmallVector<int64_t> readByEpilogue(func::FuncOp function,
                                    ArrayRef<Operation *> kernels) {
  auto op = kernels.empty()
                ? kernel::KernelOpInterface()
                : dyn_cast<kernel::KernelOpInterface>(kernels.back());
  // A pool goes over some windows once more, and through the epilogue.
  if (!op || isa<kernel::PoolOp>(op) || function.getNumArguments() == 0)
    return {};
  for (Operation &other : function.getBody().front().without_terminator()) {
    bool packs = llvm::is_contained(kernels, &other) &&
                 other.getOperands().back().getDefiningOp<memref::AllocOp>();
    if (&other != op && !packs && !isa<memref::AllocOp>(other) &&
        !isMemoryEffectFree(&other))
      return {};
  }
  BlockArgument out = onlyUsed(op.getOut());
  if (!out || out != function.getArguments().back())
    return {};
  SmallVector<int64_t> positions;
  for (auto [extra, map] : llvm::zip(op.getExtras(), op.getExtraMaps())) {
    BlockArgument argument = onlyUsed(extra);
    if (argument && argument.getType() == out.getType() &&
        extra.getType() == op.getOut().getType() &&
        cast<AffineMapAttr>(map).getValue().isIdentity())
      positions.push_back(argument.getArgNumber());
  }
  llvm::sort(positions);
  return positions;
}

bool isOnlyWritten(Value buffer) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<ViewLikeOpInterface>(user))
      return isOnlyWritten(user->getResult(0));
    if (auto store = dyn_cast<vector::StoreOp>(user))
      return store.getBase() == buffer;
    if (auto store = dyn_cast<vector::MaskedStoreOp>(user))
      return store.getBase() == buffer;
    if (auto store = dyn_cast<memref::StoreOp>(user))
      return store.getMemRef() == buffer;
    return isa<memref::PrefetchOp>(user);
  });
}

} // namespace weir::cpu
