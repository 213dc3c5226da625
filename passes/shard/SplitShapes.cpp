// Makes a program of one rank of the program of all.

#include "passes/shard/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/collective/Collective.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/shard/Axes.h"
#include "passes/shard/SplitScatters.h"
#include "passes/shard/Splitter.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-split-shapes"

using namespace mlir;

namespace weir::shard {
#define GEN_PASS_DEF_SPLITSHAPES
#include "passes/shard/Passes.h.inc"

namespace {

/// A rank that needs its part of a sum only receives no more.
struct ScatterSum : OpRewritePattern<graph::OwnPartOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::OwnPartOp op,
                                PatternRewriter &rewriter) const override {
    auto sum = op.getX().getDefiningOp<graph::AllReduceOp>();
    if (!sum || sum.getCombine() != graph::Combine::sum ||
        sum.getAxes() != op.getAxes() || !sum->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "not the only use of a sum over the same axes");
    rewriter.setInsertionPoint(sum);
    Value part = rewriter.create<graph::ReduceScatterOp>(
        sum.getLoc(), op.getType(), sum.getX(), op.getAlong(), op.getAxes());
    rewriter.replaceOp(op, part);
    rewriter.eraseOp(sum);
    return success();
  }
};

/// Removes whole forms that nothing needs any more, and equal collectives.
void cleanUp(func::FuncOp entry) {
  (void)applyPatternsAndFoldGreedily(entry, FrozenRewritePatternSet());
  IRRewriter rewriter(entry.getContext());
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, entry);
  RewritePatternSet patterns(entry.getContext());
  patterns.add<ScatterSum>(entry.getContext());
  addScatterPatterns(patterns);
  (void)applyPatternsAndFoldGreedily(entry, std::move(patterns));
}

/// Whether only a division of the batch needs the op: a sum over `data`, or the
/// update of a variable by parts of the optimizer's state.
bool isOfBatch(Operation *op) {
  if (isa<graph::AllGatherOp>(op))
    return attrs::shardState.isOn(op->getParentOfType<ModuleOp>()) &&
           llvm::all_of(op->getUsers(), llvm::IsaPred<graph::WriteVariableOp>);
  auto sum = dyn_cast<graph::AllReduceOp>(op);
  return sum && llvm::all_of(sum.getAxes(), [](Attribute axis) {
           return cast<StringAttr>(axis).getValue() == dataAxis;
         });
}

/// Names the collectives that a better division might not need.
LogicalResult tellCollectives(func::FuncOp entry) {
  StringAttr how = attrs::reshard.of(entry->getParentOfType<ModuleOp>());
  if (how && how.getValue() == reshard::silent)
    return success();
  bool isError = how && how.getValue() == reshard::error;
  WalkResult walk = entry.walk([&](Operation *op) {
    if (!isa<graph::AllGatherOp, graph::AllReduceOp>(op) || isOfBatch(op))
      return WalkResult::advance();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    ArrayAttr axes = op->getAttrOfType<ArrayAttr>("axes");
    InFlightDiagnostic note =
        isError ? emitError(op->getLoc()) : emitRemark(op->getLoc());
    note << (isa<graph::AllGatherOp>(op) ? "ranks gather " : "ranks combine ")
         << type << " over " << axes << ", " << graph::tensorBytes(type)
         << " bytes";
    return isError ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// Remarks which nodes gain nothing from several ranks, each of them once.
void tellWhole(func::FuncOp entry, llvm::DenseSet<Location> &told) {
  StringAttr how = attrs::reshard.of(entry->getParentOfType<ModuleOp>());
  if (how && how.getValue() == reshard::silent)
    return;
  entry.walk([&](Operation *op) {
    // An assignment computes nothing.
    if (attrs::whole.isOn(op) && !isa<graph::WriteVariableOp>(op) &&
        told.insert(op->getLoc()).second)
      emitRemark(op->getLoc()) << "is computed whole by each rank";
  });
}

/// Whether the model itself has collectives. It is then the program of one
/// rank.
bool hasCollectives(func::FuncOp entry) {
  return entry
      .walk([](Operation *op) {
        return isa<graph::AllReduceOp, graph::AllGatherOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
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
      bool isOfOneRank = hasCollectives(entry);
      if (failed(Splitter(entry, mesh).run()))
        return signalPassFailure();
      cleanUp(entry);
      LLVM_DEBUG(entry.walk([](Operation *op) {
        if (isa<graph::AllReduceOp, graph::AllGatherOp, graph::OwnPartOp,
                graph::ReduceScatterOp>(op))
          llvm::dbgs() << "adds " << *op << "\n";
      }));
      if (attrs::init.isOn(entry))
        continue;
      tellWhole(entry, told);
      if (!isOfOneRank && failed(tellCollectives(entry)))
        return signalPassFailure();
    }
    divideVariables(mesh);
  }

private:
  /// Variables get the types of parts.
  void divideVariables(MeshAttr mesh) {
    for (auto variable : getOperation().getOps<graph::VariableOp>()) {
      DenseI64ArrayAttr shards = attrs::shards.of(variable);
      if (!shards)
        continue;
      if (isWhole(shards.asArrayRef()))
        attrs::shards.remove(variable);
      else
        variable.setType(
            partOf(mesh, variable.getTensorType(), shards.asArrayRef()));
    }
  }
};

} // namespace
} // namespace weir::shard
