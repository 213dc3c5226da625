// Which inputs a kernel reads only where it then writes.

#include "passes/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#define DEBUG_TYPE "weir-mark-in-place"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_MARKINPLACE
#include "passes/cpu/Passes.h.inc"

namespace {

/// The loop over elements that is all of the kernel; null where it is more.
linalg::GenericOp onlyLoop(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  if (body.getOperations().size() != 2)
    return {};
  auto loop = dyn_cast<linalg::GenericOp>(body.front());
  if (!loop || loop.getNumDpsInits() != 1 || !loop.hasPureBufferSemantics() ||
      loop.getNumParallelLoops() != loop.getNumLoops() ||
      !loop.getMatchingIndexingMap(loop.getDpsInitOperand(0)).isIdentity())
    return {};
  return loop;
}

struct MarkInPlace : impl::MarkInPlaceBase<MarkInPlace> {
  void runOnOperation() override {
    auto kernel = dyn_cast<func::FuncOp>(getOperation());
    if (!kernel || !kernel->hasAttr("weir.kernel") || kernel.isExternal())
      return;
    linalg::GenericOp loop = onlyLoop(kernel);
    if (!loop)
      return;
    Value output = loop.getDpsInitOperand(0)->get();
    SmallVector<int64_t> places;
    for (BlockArgument argument : kernel.getArguments()) {
      bool alike = argument.getType() == output.getType() &&
                   argument != output && !argument.use_empty();
      for (OpOperand &use : argument.getUses())
        alike &= loop.getMatchingIndexingMap(&use).isIdentity();
      if (alike)
        places.push_back(argument.getArgNumber());
    }
    if (!places.empty())
      kernel->setAttr("weir.in_place",
                      DenseI64ArrayAttr::get(&getContext(), places));
  }
};

} // namespace
} // namespace weir
