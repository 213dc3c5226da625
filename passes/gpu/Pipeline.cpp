// The order of the GPU stage's passes.

#include "passes/gpu/Pipeline.h"

#include "passes/gpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir {

void buildShareThreadsPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createShareThreads());
}

void buildIssuePipeline(OpPassManager &pm) {
  pm.addPass(createIssueLaunches());
  pm.addPass(createSerializeKernels());
}

} // namespace weir
