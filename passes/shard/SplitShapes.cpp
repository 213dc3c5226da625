// Makes a program of one rank of the program of all.

#include "passes/shard/Passes.h"

#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/shard/Splitter.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-split-shapes"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_SPLITSHAPES
#include "passes/shard/Passes.h.inc"

namespace {

/// Removes whole forms that nothing needs any more, and equal collectives.
void cleanUp(func::FuncOp entry) {
  (void)applyPatternsAndFoldGreedily(entry, FrozenRewritePatternSet());
  IRRewriter rewriter(entry.getContext());
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, entry);
}

/// Remarks which nodes gain nothing from several ranks, each of them once.
void tellWhole(func::FuncOp entry, llvm::DenseSet<Location> &told) {
  entry.walk([&](Operation *op) {
    if (attrs::whole.isOn(op) && told.insert(op->getLoc()).second)
      emitRemark(op->getLoc()) << "is computed whole by each rank";
  });
}

struct SplitShapes : impl::SplitShapesBase<SplitShapes> {
  void runOnOperation() override {
    MeshAttr mesh = MeshAttr::of(getOperation());
    if (!mesh)
      return;
    llvm::DenseSet<Location> told;
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      if (!attrs::entry.isOn(entry))
        continue;
      if (failed(Splitter(entry, mesh).run()))
        return signalPassFailure();
      cleanUp(entry);
      LLVM_DEBUG(entry.walk([](Operation *op) {
        if (isa<graph::AllReduceOp, graph::AllGatherOp, graph::OwnPartOp>(op))
          llvm::dbgs() << "adds " << *op << "\n";
      }));
      if (!attrs::init.isOn(entry))
        tellWhole(entry, told);
    }
  }
};

} // namespace
} // namespace weir::shard
