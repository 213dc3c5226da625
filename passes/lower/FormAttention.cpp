// A product, the softmax of its rows and a product of these become one op.
//
// The pass runs behind weir-fuse-epilogues. So the elementwise functions before
// the softmax and behind the second product are in the epilogues of the
// products, and those behind the softmax are one loop nest.

#include "passes/lower/FormAttention.h"
#include "passes/lower/NeuralShared.h"
#include "passes/lower/Passes.h"

#include "dialects/kernel/attention/Attention.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-form-attention"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_FORMATTENTION
#include "passes/lower/Passes.h.inc"

namespace {

/// Whether the loops compute the elements of one tensor from the elements of
/// their operand `x`, at the same indices, and of others.
bool isElementwise(linalg::GenericOp loops, Value x) {
  if (!loops || loops.getNumResults() != 1 ||
      loops.getNumParallelLoops() != loops.getNumLoops() ||
      !loops.getIndexingMapsArray().back().isIdentity() ||
      loops.payloadUsesValueFromOperand(loops.getDpsInitOperand(0)))
    return false;
  return llvm::any_of(loops.getDpsInputOperands(), [&](OpOperand *input) {
    return input->get() == x &&
           loops.getMatchingIndexingMap(input).isIdentity();
  });
}

/// The product that makes `value`, or from which one elementwise loop nest
/// makes it; null if something else reads either.
template <typename Product>
Product productBefore(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  if (auto product = value.getDefiningOp<Product>())
    return product;
  auto loops = value.getDefiningOp<linalg::GenericOp>();
  if (!loops)
    return nullptr;
  for (Value input : loops.getInputs())
    if (auto product = input.getDefiningOp<Product>();
        product && input.hasOneUse() && isElementwise(loops, input))
      return product;
  return nullptr;
}

/// The elementwise loop nest that is the only user of `value`; null if it is
/// another op.
linalg::GenericOp loopsBehind(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  auto loops = dyn_cast<linalg::GenericOp>(*value.user_begin());
  return isElementwise(loops, value) ? loops : nullptr;
}

/// The product that reads `value`, and nothing else does, as its left side.
template <typename Product>
Product productBehind(Value value) {
  auto product =
      value.hasOneUse() ? dyn_cast<Product>(*value.user_begin()) : Product();
  bool isLeft = product && product.getA() == value && !product.getTransposeA();
  return isLeft ? product : nullptr;
}

/// Whether the right side is in a layout that does not depend on the numbers of
/// the left side, and the product is of floats.
bool isPlain(kernel::MatmulOp op) {
  kernel::LayoutAttr layout = op.getLayout();
  Type sum = op.getEpilogue().front().getArgument(0).getType();
  return isa<FloatType>(getElementTypeOrSelf(op.getA())) &&
         isa<FloatType>(getElementTypeOrSelf(op.getB())) &&
         isa<FloatType>(sum) &&
         (layout.isPlain() || layout.isPanels() || layout.isKMajor());
}

/// What becomes a kernel.attention.
struct Chain {
  graph::SoftmaxOp softmax;
  kernel::MatmulOp scores, product;
  linalg::GenericOp weights; // null: the softmax is multiplied as it is

  /// Fails with the reason if the ops around the softmax are no attention.
  static FailureOr<Chain> of(graph::SoftmaxOp softmax) {
    auto fails = [&](StringRef reason) {
      LLVM_DEBUG(llvm::dbgs() << "no attention: " << reason << '\n');
      return failure();
    };
    Chain chain;
    chain.softmax = softmax;
    if (softmax.getX().hasOneUse())
      chain.scores = softmax.getX().getDefiningOp<kernel::MatmulOp>();
    if (!chain.scores || !isPlain(chain.scores))
      return fails("no product makes the scores");
    Value value = softmax.getResult();
    chain.weights = loopsBehind(value);
    if (chain.weights) {
      if (!chain.canFuseWeights())
        return fails("the function of the weights reads what an epilogue "
                     "cannot read");
      value = chain.weights.getResult(0);
    }
    chain.product = productBehind<kernel::MatmulOp>(value);
    if (!chain.product || !isPlain(chain.product))
      return fails("no product reads the weights");
    return chain;
  }

  void fuse() {
    OpBuilder b(product);
    SmallVector<Value> extras;
    SmallVector<Attribute> maps;
    for (OpOperand *input : otherInputs()) {
      extras.push_back(input->get());
      maps.push_back(AffineMapAttr::get(weights.getMatchingIndexingMap(input)));
    }
    auto attention = b.create<kernel::AttentionOp>(
        product.getLoc(), product->getResultTypes(), scores.getA(),
        scores.getB(), product.getB(), scores.getDepth(), product.getDepth(),
        scores.getExtras(), extras, product.getExtras(), product.getOut(),
        scores.getTransposeA(), scores.getShared(), product.getShared(),
        softmax.getMasked(), scores.getLayout(), product.getLayout(),
        scores.getExtraMaps(), b.getArrayAttr(maps), product.getExtraMaps());
    attention.getScores().takeBody(scores.getEpilogue());
    buildWeights(attention.getWeights());
    attention.getEpilogue().takeBody(product.getEpilogue());
    product.replaceAllUsesWith(attention);
    product.erase();
    if (weights)
      weights.erase();
    softmax.erase();
    scores.erase();
  }

private:
  /// The operands of the weights' function beside the softmax.
  SmallVector<OpOperand *> otherInputs() {
    SmallVector<OpOperand *> others;
    if (weights)
      llvm::copy_if(weights.getDpsInputOperands(), std::back_inserter(others),
                    [&](OpOperand *input) { return input->get() != softmax; });
    return others;
  }

  bool canFuseWeights() {
    return llvm::all_of(otherInputs(),
                        [&](OpOperand *input) {
                          return isa<RankedTensorType>(
                                     input->get().getType()) &&
                                 kernel::isExtraMap(
                                     weights.getMatchingIndexingMap(input),
                                     weights.getNumLoops());
                        }) &&
           llvm::all_of(weights.getBody()->without_terminator(),
                        kernel::isWidenable);
  }

  /// The softmax in its type, and the function of it that the loops compute.
  void buildWeights(Region &region) {
    Type element = softmax.getType().getElementType();
    Type wide = accumulatorType(element);
    Location loc = softmax.getLoc();
    OpBuilder b(softmax.getContext());
    Block *block = b.createBlock(&region);
    Value value = convertFloat(b, loc, block->addArgument(wide, loc), element);
    if (weights) {
      IRMapping values;
      for (OpOperand *input : otherInputs()) {
        Value scalar = weights.getMatchingBlockArgument(input);
        values.map(scalar, block->addArgument(scalar.getType(), loc));
      }
      for (OpOperand *input : weights.getDpsInputOperands())
        if (input->get() == softmax)
          values.map(weights.getMatchingBlockArgument(input), value);
      Block &function = *weights.getBody();
      for (Operation &op : function.without_terminator())
        b.clone(op, values);
      value = values.lookupOrDefault(function.getTerminator()->getOperand(0));
    }
    b.create<kernel::YieldOp>(loc, value);
  }
};

struct FormAttention : impl::FormAttentionBase<FormAttention> {
  void runOnOperation() override {
    if (!attrs::kernel.isOn(getOperation()))
      return;
    SmallVector<graph::SoftmaxOp> all;
    getOperation()->walk([&](graph::SoftmaxOp op) { all.push_back(op); });
    for (graph::SoftmaxOp softmax : all)
      if (FailureOr<Chain> chain = Chain::of(softmax); succeeded(chain))
        chain->fuse();
    if (failed(lowerOthers()))
      signalPassFailure();
  }

private:
  /// Loops for each softmax whose neighbors other patterns have changed.
  LogicalResult lowerOthers() {
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    RewritePatternSet patterns(&getContext());
    addSoftmaxPatterns(converter, patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<graph::SoftmaxOp>();
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};

} // namespace

bool isInAttention(graph::SoftmaxOp softmax) {
  auto kernel = softmax->getParentOfType<func::FuncOp>();
  if (!kernel || !attrs::kernel.isOn(kernel))
    return false;
  Value value = softmax.getResult();
  if (linalg::GenericOp loops = loopsBehind(value))
    value = loops.getResult(0);
  auto product = productBehind<graph::MatmulOp>(value);
  return product && product.getType().getNumElements() > 0 &&
         softmax.getType().getNumElements() > 0 &&
         productBefore<graph::MatmulOp>(softmax.getX());
}

} // namespace weir::lower
