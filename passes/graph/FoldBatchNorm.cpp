// Folds scales and biases of output channels into filters: (conv(x, w) + b) * s
// is conv(x, w * s) + b * s, for constants b and s.

#include "passes/graph/Passes.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/constants/Bytes.h"
#include "dialects/graph/packed/Float16Constants.h"
#include "dialects/target/Instructions.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "weir-fold-batch-norm"

using namespace mlir;

namespace weir::graph {
#define GEN_PASS_DEF_FOLDBATCHNORM
#include "passes/graph/Passes.h.inc"

namespace {

/// A number for each output channel.
using Channels = SmallVector<double>;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

double numberAt(const char *data, Type type, int64_t i) {
  if (type.isF64())
    return reinterpret_cast<const double *>(data)[i];
  return reinterpret_cast<const float *>(data)[i];
}

void setNumber(char *data, Type type, int64_t i, double value) {
  if (type.isF64())
    reinterpret_cast<double *>(data)[i] = value;
  else
    reinterpret_cast<float *>(data)[i] = static_cast<float>(value);
}

/// The limit of channels. A splat constant may have any number of elements at
/// no cost in the model file, but here each takes memory.
constexpr int64_t maxChannels = int64_t(1) << 20;

/// The elements of `value` along its last dimension, if it is a constant that
/// depends on no other dimension.
std::optional<Channels> channelsOf(Value value) {
  RankedTensorType type = typeOf(value);
  if (type.getRank() == 0 || type.getNumElements() == 0)
    return std::nullopt;
  int64_t last = type.getRank() - 1, count = type.getDimSize(last);
  if (count > maxChannels)
    return std::nullopt;
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  std::optional<Bytes> bytes = Bytes::of(broadcast ? broadcast.getX() : value);
  if (!bytes)
    return std::nullopt;
  Type element = type.getElementType();
  const char *data = bytes->data().data();
  if (bytes->isSplat() || bytes->type().getNumElements() == 1)
    return Channels(count, numberAt(data, element, 0));
  int64_t size = bytes->type().getNumElements();
  if (broadcast) {
    ArrayRef<int64_t> dims = broadcast.getDims();
    if (dims.back() != last || size != count ||
        bytes->type().getShape().back() != count)
      return std::nullopt;
  } else {
    // If the constant is not a splat, each row must equal the first one.
    int64_t row = count * bytesOf(element);
    for (int64_t i = 1; i < size / count; ++i)
      if (std::memcmp(data, data + i * row, row) != 0)
        return std::nullopt;
  }
  Channels channels;
  for (int64_t i = 0; i < count; ++i)
    channels.push_back(numberAt(data, element, i));
  return channels;
}

/// The constant filter of a convolution or a product whose last result
/// dimension is an output channel, or null.
OpOperand *filterOf(Operation *op) {
  if (!op || !op->hasOneUse())
    return nullptr;
  if (auto convolution = dyn_cast<graph::ConvolutionOp>(op))
    return &convolution.getFilterMutable();
  if (auto product = dyn_cast<graph::MatmulOp>(op))
    if (product.getType().getRank() == 2)
      return &product.getBMutable();
  return nullptr;
}

/// The filter with each output channel multiplied by its number.
Value scaled(PatternRewriter &rewriter, Operation *op, Value filter,
             const Channels &scale) {
  std::optional<Bytes> bytes = Bytes::of(filter);
  // A product reads f16 and bf16 weights directly; scaling would round them
  // again.
  if (!bytes ||
      bytes->type().getElementType() != getElementTypeOrSelf(op->getResult(0)))
    return {};
  // A folded filter would need f32, and the budget counts its bytes. Kernels
  // for tile registers and for groups read f32 anyhow.
  auto module = op->getParentOfType<ModuleOp>();
  auto convolution = dyn_cast<graph::ConvolutionOp>(op);
  bool readsFloat16 = !convolution || (convolution.getGroups() == 1 &&
                                       convolution.getType().getRank() <= 4);
  if (readsFloat16 && module && attrs::weightsBudget.isOn(module) &&
      attrs::widened.isOn(module) &&
      !Instructions::of(TargetAttr::of(op)).tiles &&
      bytes->type().getElementType().isF32() && !bytes->isSplat() &&
      float16TypeOf(bytes->data(), rewriter.getContext()))
    return {};
  auto product = dyn_cast<graph::MatmulOp>(op);
  bool channelsFirst = product && product.getTransposeB();
  RankedTensorType type = bytes->type();
  int64_t channels = scale.size();
  int64_t inner = channelsFirst ? type.getNumElements() / channels : 1;
  NewBytes result(type);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    double weight = numberAt(bytes->data().data(), type.getElementType(),
                             bytes->isSplat() ? 0 : i);
    setNumber(result.data(), type.getElementType(), i,
              weight * scale[i / inner % channels]);
  }
  return rewriter.create<graph::ConstantOp>(filter.getLoc(),
                                            std::move(result).take("scaled"));
}

/// A tensor whose elements along the last dimension are the numbers.
Value spread(PatternRewriter &rewriter, Location loc, RankedTensorType type,
             const Channels &channels) {
  NewBytes bytes(type.clone(static_cast<int64_t>(channels.size())));
  for (auto [i, value] : llvm::enumerate(channels))
    setNumber(bytes.data(), type.getElementType(), i, value);
  auto constant =
      rewriter.create<graph::ConstantOp>(loc, std::move(bytes).take("bias"));
  return rewriter.create<graph::BroadcastOp>(
      loc, type, constant, ArrayRef<int64_t>{type.getRank() - 1});
}

/// A factor, term or divisor for each channel, and the other operand.
struct Step {
  Value x;
  Channels channels;
};

/// The operand of a sum or product that is a constant for each channel, and the
/// other operand. No value if neither is one.
std::optional<Step> stepOf(Value x, Value y, bool commutes) {
  if (auto channels = channelsOf(y))
    return Step{x, *channels};
  if (commutes)
    if (auto channels = channelsOf(x))
      return Step{y, *channels};
  return std::nullopt;
}

std::optional<Step> factorOf(Operation *op) {
  if (auto mul = dyn_cast<graph::MulOp>(op))
    return stepOf(mul.getX(), mul.getY(), true);
  auto div = dyn_cast<graph::DivOp>(op);
  if (!div)
    return std::nullopt;
  std::optional<Step> step = stepOf(div.getX(), div.getY(), false);
  if (!step || llvm::is_contained(step->channels, 0.0))
    return std::nullopt;
  for (double &value : step->channels)
    value = 1 / value;
  return step;
}

std::optional<Step> termOf(Operation *op) {
  if (auto add = dyn_cast<graph::AddOp>(op))
    return stepOf(add.getX(), add.getY(), true);
  auto sub = dyn_cast<graph::SubOp>(op);
  if (!sub)
    return std::nullopt;
  std::optional<Step> step = stepOf(sub.getX(), sub.getY(), false);
  if (step)
    for (double &value : step->channels)
      value = -value;
  return step;
}

bool isFoldable(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type &&
         (type.getElementType().isF32() || type.getElementType().isF64());
}

/// (conv(x, w) + b) * s, with or without b.
struct FoldFactor : RewritePattern {
  explicit FoldFactor(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<graph::MulOp, graph::DivOp>(op) || !isFoldable(op))
      return rewriter.notifyMatchFailure(op, "no product or quotient to fold");
    std::optional<Step> factor = factorOf(op);
    if (!factor)
      return rewriter.notifyMatchFailure(op, "no constant factor per channel");
    Operation *inner = factor->x.getDefiningOp();
    std::optional<Step> term;
    if (inner && inner->hasOneUse())
      term = termOf(inner);
    Operation *product = term ? term->x.getDefiningOp() : inner;
    OpOperand *filter = filterOf(product);
    if (!filter)
      return rewriter.notifyMatchFailure(op, "no filter to scale");
    Value weights = scaled(rewriter, product, filter->get(), factor->channels);
    if (!weights)
      return rewriter.notifyMatchFailure(op, "the filter is no constant");

    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    Operation *copy = rewriter.clone(*product);
    copy->setOperand(filter->getOperandNumber(), weights);
    Value result = copy->getResult(0);
    if (term) {
      for (auto [b, s] : llvm::zip_equal(term->channels, factor->channels))
        b *= s;
      Value bias =
          spread(rewriter, op->getLoc(), typeOf(result), term->channels);
      result = rewriter.create<graph::AddOp>(op->getLoc(), result, bias);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// (conv(x, w) + a) + b, and conv(x, w) - b.
struct FoldTerm : RewritePattern {
  explicit FoldTerm(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<graph::AddOp, graph::SubOp>(op) || !isFoldable(op))
      return rewriter.notifyMatchFailure(op, "no sum or difference to fold");
    std::optional<Step> outer = termOf(op);
    if (!outer)
      return rewriter.notifyMatchFailure(op, "no constant term per channel");
    Operation *inner = outer->x.getDefiningOp();
    std::optional<Step> term;
    if (inner && inner->hasOneUse())
      term = termOf(inner);
    if (!term && isa<graph::AddOp>(op))
      return rewriter.notifyMatchFailure(op, "a bias already");
    Value x = term ? term->x : outer->x;
    if (!filterOf(x.getDefiningOp()))
      return rewriter.notifyMatchFailure(op, "no product to add to");
    if (term)
      for (auto [a, b] : llvm::zip_equal(outer->channels, term->channels))
        a += b;
    Value bias = spread(rewriter, op->getLoc(), typeOf(x), outer->channels);
    rewriter.replaceOpWithNewOp<graph::AddOp>(op, x, bias);
    return success();
  }
};

struct FoldBatchNorm : impl::FoldBatchNormBase<FoldBatchNorm> {
  void runOnOperation() override {
    NamedResources resources(getOperation());
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldFactor, FoldTerm>(&getContext());
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                            config)))
      signalPassFailure();
    resources.release();
  }
};

} // namespace
} // namespace weir::graph
