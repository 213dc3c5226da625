// Makes a program of one rank of the program of all.

#include "passes/shard/Passes.h"

#include "dialects/weir/Attributes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/shard/Splitter.h"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_SPLITSHAPES
#include "passes/shard/Passes.h.inc"

namespace {

struct SplitShapes : impl::SplitShapesBase<SplitShapes> {
  void runOnOperation() override {
    MeshAttr mesh = MeshAttr::of(getOperation());
    if (!mesh)
      return;
    // Whole forms that nothing needs any more, and equal collectives.
    OpPassManager cleanup(func::FuncOp::getOperationName());
    cleanup.addPass(createCanonicalizerPass());
    cleanup.addPass(createCSEPass());
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (attrs::entry.isOn(entry) && (failed(Splitter(entry, mesh).run()) ||
                                       failed(runPipeline(cleanup, entry))))
        return signalPassFailure();
  }
};

} // namespace
} // namespace weir::shard
