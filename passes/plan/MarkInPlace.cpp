// Which inputs a kernel reads only where it then writes.

#include "passes/plan/Passes.h"

#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#define DEBUG_TYPE "weir-mark-in-place"

using namespace mlir;

namespace weir::plan {
#define GEN_PASS_DEF_MARKINPLACE
#include "passes/plan/Passes.h.inc"

namespace {

/// The loop over elements that is all of the kernel, but for constants; null
/// where it is more.
linalg::GenericOp onlyLoop(func::FuncOp kernel) {
  Operation *only = nullptr;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue;
    if (only)
      return {};
    only = &op;
  }
  auto loop = dyn_cast_or_null<linalg::GenericOp>(only);
  if (!loop || !loop.hasPureBufferSemantics() ||
      loop.getNumParallelLoops() != loop.getNumLoops())
    return {};
  for (OpOperand &output : loop.getDpsInitsMutable())
    if (output.get().getType() != loop.getDpsInits()[0].getType() ||
        !loop.getMatchingIndexingMap(&output).isIdentity())
      return {};
  return loop;
}

/// The input that is copied to the output before anything else is done with
/// that, and is not read again; null where there is none.
BlockArgument copiedInput(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    Value from, to;
    if (auto copy = dyn_cast<linalg::CopyOp>(op))
      from = copy.getInputs()[0], to = copy.getOutputs()[0];
    else if (auto copy = dyn_cast<memref::CopyOp>(op))
      from = copy.getSource(), to = copy.getTarget();
    else
      continue;
    auto input = dyn_cast<BlockArgument>(from);
    if (!input || !isa<BlockArgument>(to) || input == to ||
        input.getType() != to.getType() || !input.hasOneUse())
      continue;
    bool isFirst = llvm::all_of(to.getUsers(), [&](Operation *user) {
      Operation *around = op.getBlock()->findAncestorOpInBlock(*user);
      return around == &op || op.isBeforeInBlock(around);
    });
    if (isFirst)
      return input;
  }
  return {};
}

struct MarkInPlace : impl::MarkInPlaceBase<MarkInPlace> {
  void runOnOperation() override {
    auto kernel = dyn_cast<func::FuncOp>(getOperation());
    if (!kernel || !attrs::kernel.isOn(kernel) || kernel.isExternal())
      return;
    SmallVector<int64_t> buffers;
    if (BlockArgument input = copiedInput(kernel))
      buffers.push_back(input.getArgNumber());
    else if (linalg::GenericOp loop = onlyLoop(kernel))
      buffers = readInPlace(kernel, loop);
    if (!buffers.empty())
      attrs::inPlace.set(kernel, buffers);
  }

private:
  static SmallVector<int64_t> readInPlace(func::FuncOp kernel,
                                          linalg::GenericOp loop) {
    // Each element is read before any output of it is written.
    Type output = loop.getDpsInits()[0].getType();
    SmallVector<int64_t> buffers;
    for (BlockArgument argument : kernel.getArguments()) {
      bool alike = argument.getType() == output &&
                   !llvm::is_contained(loop.getDpsInits(), argument) &&
                   !argument.use_empty();
      // What the body loads may be of any place.
      for (OpOperand &use : argument.getUses())
        alike &= use.getOwner() == loop &&
                 loop.getMatchingIndexingMap(&use).isIdentity();
      if (alike)
        buffers.push_back(argument.getArgNumber());
    }
    return buffers;
  }
};

} // namespace
} // namespace weir::plan
