// Moves reshapes down: op(reshape(x)) is reshape(op(x)).
//
// A reshape between kernels is a view and costs nothing. A reshape between ops
// would keep them in separate kernels. With products it moves only if it
// regroups their batches.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/Sizes.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "weir-sink-reshapes"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_SINKRESHAPES
#include "passes/graph/Passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

FusionRole roleOf(Operation *op) {
  auto fusible = dyn_cast_if_present<graph::FusionOpInterface>(op);
  return fusible ? fusible.fusionRole() : FusionRole::none;
}

/// Whether only elementwise ops use `value` or reshapes of it.
bool onlyElementwiseUse(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<ReshapeOp>(user))
      return llvm::all_of(user->getUsers(), [](Operation *other) {
        return roleOf(other) == FusionRole::elementwise;
      });
    return roleOf(user) == FusionRole::elementwise;
  });
}

/// Whether `value` is the result of a contraction, or of ops in its epilogue,
/// and its users can be in that epilogue as well.
bool isOfContraction(Value value) {
  constexpr int64_t most = 16; // the number of ops that the search passes
  if (!onlyElementwiseUse(value))
    return false;
  SmallVector<Value> open = {value};
  for (int64_t seen = 0; !open.empty() && seen < most; ++seen) {
    Operation *op = open.pop_back_val().getDefiningOp();
    FusionRole role = roleOf(op);
    if (role == FusionRole::contraction)
      return true;
    if (role != FusionRole::elementwise)
      continue;
    for (Value operand : op->getOperands())
      if (onlyElementwiseUse(operand))
        open.push_back(operand);
  }
  return false;
}

bool isSplat(Value value) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
         elements.getNumElements() > 0;
}

/// The dimensions of a broadcast to `shape` with the same row-major elements as
/// `op`. No value unless `op` repeats its operand along the first dimensions
/// only.
std::optional<SmallVector<int64_t>> reshapedDims(BroadcastOp op,
                                                 ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = shapeOf(op.getX()), to = shapeOf(op);
  size_t rank = from.size();
  if (rank > shape.size() || rank > to.size() || from != to.take_back(rank) ||
      from != shape.take_back(rank))
    return std::nullopt;
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    if (dim != static_cast<int64_t>(to.size() - rank + i))
      return std::nullopt;
  return llvm::to_vector(llvm::seq<int64_t>(shape.size() - rank, shape.size()));
}

struct SinkThroughElementwise : RewritePattern {
  explicit SinkThroughElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &b) const override {
    if (!isa<graph::ScalarOpInterface>(op) || op->getNumResults() != 1)
      return b.notifyMatchFailure(op, "not elementwise with one result");
    ReshapeOp moved;
    for (Value operand : op->getOperands())
      if (auto reshape = operand.getDefiningOp<ReshapeOp>())
        if (roleOf(reshape.getX().getDefiningOp()) != FusionRole::none &&
            (!moved || isOfContraction(reshape.getX())))
          moved = reshape;
    if (!moved)
      return b.notifyMatchFailure(op, "no computed operand is reshaped");
    ArrayRef<int64_t> shape = shapeOf(moved.getX());
    bool isEpilogue = isOfContraction(moved.getX());
    for (Value operand : op->getOperands()) {
      if (isFree(operand, shape))
        continue;
      if (!isEpilogue || operand.getDefiningOp<BroadcastOp>() ||
          isOfContraction(operand))
        return b.notifyMatchFailure(op, "an operand would be reshaped instead");
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(reshaped(b, operand, shape));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    OperationState state(op->getLoc(), op->getName(), operands,
                         type.clone(shape), op->getAttrs());
    if (Attribute own = attrs::sizes.removeFrom(state.attributes))
      if (ArrayAttr sizes = graph::sizesAttr(
              op->getContext(),
              graph::reshapeSizes(graph::readSizes(own, type.getShape()),
                                  shape)))
        attrs::sizes.addTo(state.attributes, sizes);
    Operation *inner = b.create(state);
    b.replaceOpWithNewOp<ReshapeOp>(op, type, inner->getResult(0));
    return success();
  }

private:
  static bool isFree(Value value, ArrayRef<int64_t> shape) {
    if (isSplat(value))
      return true;
    if (auto reshape = value.getDefiningOp<ReshapeOp>())
      return shapeOf(reshape.getX()) == shape;
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    return broadcast && reshapedDims(broadcast, shape);
  }

  static Value reshaped(PatternRewriter &b, Value value,
                        ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(value.getType()).clone(shape);
    if (auto reshape = value.getDefiningOp<ReshapeOp>())
      if (shapeOf(reshape.getX()) == shape)
        return reshape.getX();
    DenseElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
      return b.create<graph::ConstantOp>(value.getLoc(),
                                         elements.resizeSplat(type));
    if (auto broadcast = value.getDefiningOp<BroadcastOp>())
      if (auto dims = reshapedDims(broadcast, shape))
        return b.create<BroadcastOp>(value.getLoc(), type, broadcast.getX(),
                                     *dims);
    return b.create<ReshapeOp>(value.getLoc(), type, value);
  }
};

/// The reshape that changes only the batch dimensions of matrices, or null.
ReshapeOp regrouped(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return nullptr;
  ArrayRef<int64_t> from = shapeOf(reshape.getX()), to = shapeOf(reshape);
  bool keepsMatrices = from.size() >= 2 && to.size() >= 2 &&
                       from.take_back(2) == to.take_back(2);
  return keepsMatrices ? reshape : nullptr;
}

struct SinkThroughProduct : OpRewritePattern<graph::MatmulOp> {
  using OpRewritePattern<graph::MatmulOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::MatmulOp op,
                                PatternRewriter &b) const override {
    ReshapeOp left = regrouped(op.getA()), right = regrouped(op.getB());
    if (!left || !right ||
        shapeOf(left.getX()).drop_back(2) != shapeOf(right.getX()).drop_back(2))
      return b.notifyMatchFailure(op, "its batches are not regrouped alike");
    SmallVector<int64_t> shape(shapeOf(left.getX()).drop_back(2));
    llvm::append_range(shape, shapeOf(op).take_back(2));
    RankedTensorType type = op.getType();
    auto product = b.create<graph::MatmulOp>(
        op.getLoc(), type.clone(shape), left.getX(), right.getX(),
        op.getDepth(), op.getTransposeA(), op.getTransposeB());
    b.replaceOpWithNewOp<ReshapeOp>(op, type, product);
    return success();
  }
};

struct SinkThroughSoftmax : OpRewritePattern<graph::SoftmaxOp> {
  using OpRewritePattern<graph::SoftmaxOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::SoftmaxOp op,
                                PatternRewriter &b) const override {
    ReshapeOp moved = regrouped(op.getX());
    if (!moved || roleOf(moved.getX().getDefiningOp()) == FusionRole::none)
      return b.notifyMatchFailure(op, "no computed operand is regrouped");
    auto softmax = b.create<graph::SoftmaxOp>(
        op.getLoc(), moved.getX().getType(), moved.getX(), op.getMasked());
    b.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), softmax);
    return success();
  }
};

/// A broadcast needs no dimensions of size 1 that were inserted for it.
struct DropInsertedDims : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern<BroadcastOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &b) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return b.notifyMatchFailure(op, "no reshape makes its operand");
    ArrayRef<int64_t> from = shapeOf(reshape.getX()), to = shapeOf(reshape);
    SmallVector<int64_t> dims;
    for (auto [size, dim] : llvm::zip_equal(to, op.getDims())) {
      if (dims.size() < from.size() && from[dims.size()] == size)
        dims.push_back(dim);
      else if (size != 1)
        return b.notifyMatchFailure(op, "more than ones was inserted");
    }
    if (dims.size() != from.size())
      return b.notifyMatchFailure(op, "more than ones was inserted");
    b.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), reshape.getX(), dims);
    return success();
  }
};

struct SinkReshapes : impl::SinkReshapesBase<SinkReshapes> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<SinkThroughElementwise, SinkThroughProduct, SinkThroughSoftmax,
                 DropInsertedDims>(context);
    ReshapeOp::getCanonicalizationPatterns(patterns, context);
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                            config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::graph
