// Elementwise loops over a kernel's result move into its epilogue.

#include "passes/lower/Passes.h"

#include "dialects/kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "passes/lower/Passes.h.inc"

namespace {

struct FuseIntoKernel : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp generic,
                                PatternRewriter &b) const override {
    if (generic.getNumResults() != 1 ||
        generic.getNumParallelLoops() != generic.getNumLoops())
      return b.notifyMatchFailure(generic, "not elementwise");
    if (!generic.getIndexingMapsArray().back().isIdentity())
      return b.notifyMatchFailure(generic, "writes in another order");
    if (generic.payloadUsesValueFromOperand(generic.getDpsInitOperand(0)))
      return b.notifyMatchFailure(generic, "reads its destination");
    for (Operation &op : generic.getBody()->without_terminator())
      if (!kernel::isWidenable(op))
        return b.notifyMatchFailure(generic, "an op has no vector form");
    for (OpOperand *input : generic.getDpsInputOperands())
      if (succeeded(fuse(b, generic, *input)))
        return success();
    return b.notifyMatchFailure(generic, "no kernel makes its operands");
  }

private:
  static LogicalResult fuse(PatternRewriter &b, linalg::GenericOp generic,
                            OpOperand &input) {
    auto kernel = input.get().getDefiningOp<kernel::KernelOpInterface>();
    if (!kernel || !input.get().hasOneUse() ||
        !generic.getMatchingIndexingMap(&input).isIdentity())
      return b.notifyMatchFailure(
          generic, "no kernel with one use computes the operand");
    SmallVector<Value> extras(kernel.getExtras());
    SmallVector<Attribute> maps(kernel.getExtraMaps().getValue());
    for (OpOperand *other : generic.getDpsInputOperands()) {
      if (other == &input)
        continue;
      AffineMap map = generic.getMatchingIndexingMap(other);
      if (!isa<RankedTensorType>(other->get().getType()) ||
          !kernel::isExtraMap(map, generic.getNumLoops()))
        return b.notifyMatchFailure(
            generic, "another operand has no map of an epilogue");
      extras.push_back(other->get());
      maps.push_back(AffineMapAttr::get(map));
    }

    // The operands before the extras are the kernel's own.
    SmallVector<Value> operands(
        kernel->getOperands().drop_back(kernel.getExtras().size() + 1));
    llvm::append_range(operands, extras);
    operands.push_back(generic.getDpsInits()[0]);
    OperationState state(generic.getLoc(), kernel->getName());
    state.addOperands(operands);
    state.addTypes(generic->getResultTypes());
    state.addAttributes(kernel->getAttrs());
    if (auto product = dyn_cast<kernel::MatmulOp>(*kernel))
      state.attributes.set(
          product.getOperandSegmentSizeAttr(),
          b.getDenseI32ArrayAttr({1, 1, product.getDepth() ? 1 : 0,
                                  static_cast<int32_t>(extras.size()), 1}));
    Region *region = state.addRegion();
    Block *block = b.createBlock(region);

    IRMapping mapping;
    Block &first = kernel.getEpilogue().front();
    for (BlockArgument argument : first.getArguments())
      mapping.map(argument,
                  block->addArgument(argument.getType(), argument.getLoc()));
    Block &second = *generic.getBody();
    for (OpOperand *other : generic.getDpsInputOperands())
      if (other != &input) {
        BlockArgument argument = second.getArgument(other->getOperandNumber());
        mapping.map(argument,
                    block->addArgument(argument.getType(), argument.getLoc()));
      }
    for (Operation &op : first.without_terminator())
      b.clone(op, mapping);
    mapping.map(second.getArgument(input.getOperandNumber()),
                mapping.lookupOrDefault(first.getTerminator()->getOperand(0)));
    for (Operation &op : second.without_terminator())
      b.clone(op, mapping);
    Value result =
        mapping.lookupOrDefault(second.getTerminator()->getOperand(0));
    b.create<kernel::YieldOp>(generic.getLoc(), result);

    b.setInsertionPoint(generic);
    Operation *fused = b.create(state);
    cast<kernel::KernelOpInterface>(fused).setExtraMapsAttr(
        b.getArrayAttr(maps));
    b.replaceOp(generic, fused->getResults());
    b.eraseOp(kernel);
    return success();
  }
};

struct FuseEpilogues : impl::FuseEpiloguesBase<FuseEpilogues> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseIntoKernel>(&getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::lower
