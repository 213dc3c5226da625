// Every op of the graph dialect that computes becomes linalg on tensors.

#include "passes/lower/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/custom/Custom.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/weir/Attributes.h"
#include "passes/lower/FormAttention.h"
#include "passes/lower/Patterns.h"
#include "passes/lower/packed/PackedProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_LOWERGRAPH
#include "passes/lower/Passes.h.inc"

Value emptyTensor(OpBuilder &b, Location loc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return b.create<tensor::EmptyOp>(loc, tensor.getShape(),
                                   graph::signless(tensor.getElementType()));
}

Value filledTensor(OpBuilder &b, Location loc, Type type, Value value) {
  return b.create<linalg::FillOp>(loc, value, emptyTensor(b, loc, type))
      .getResult(0);
}

SmallVector<utils::IteratorType> parallelLoops(int64_t count) {
  return SmallVector<utils::IteratorType>(count, utils::IteratorType::parallel);
}

Value generateTensor(
    OpBuilder &b, Location loc, Type type,
    function_ref<Value(OpBuilder &, Location, ValueRange)> element) {
  Value init = emptyTensor(b, loc, type);
  auto result = cast<RankedTensorType>(type);
  int64_t rank = result.getRank();
  if (result.getNumElements() == 0)
    return init;
  auto generic = b.create<linalg::GenericOp>(
      loc, init.getType(), ValueRange{}, init,
      ArrayRef<AffineMap>{b.getMultiDimIdentityMap(rank)}, parallelLoops(rank),
      [&](OpBuilder &b, Location loc, ValueRange) {
        SmallVector<Value> indices;
        for (int64_t i = 0; i < rank; ++i)
          indices.push_back(b.create<linalg::IndexOp>(loc, i));
        b.create<linalg::YieldOp>(loc, element(b, loc, indices));
      });
  return generic.getResult(0);
}

namespace {

/// The number that every element of a constant inside a kernel has; other
/// constants are operands of kernels.
TypedAttr numberInKernel(graph::ConstantOp op) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!kernel || !attrs::kernel.isOn(kernel) || !elements ||
      !elements.isSplat())
    return {};
  Type type = graph::signless(elements.getElementType());
  if (isa<FloatType>(type))
    return FloatAttr::get(type, elements.getSplatValue<APFloat>());
  return IntegerAttr::get(type, elements.getSplatValue<APInt>());
}

struct LowerConstant : OpConversionPattern<graph::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    TypedAttr number = numberInKernel(op);
    if (!number)
      return b.notifyMatchFailure(op, "not one number inside a kernel");
    Value scalar = b.create<arith::ConstantOp>(op.getLoc(), number);
    b.replaceOp(op, filledTensor(b, op.getLoc(), op.getType(), scalar));
    return success();
  }
};

/// A custom op stays, on signless tensors.
struct ConvertCustom : OpConversionPattern<graph::CustomOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::CustomOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return b.notifyMatchFailure(op, "a result has no signless type");
    b.replaceOpWithNewOp<graph::CustomOp>(op, types, adaptor.getOperands(),
                                          op->getAttrs());
    return success();
  }
};

struct LowerGraph : impl::LowerGraphBase<LowerGraph> {
  void runOnOperation() override {
    // An entry's own ops are the plan's.
    if (attrs::entry.isOn(getOperation()))
      return;
    MLIRContext *context = &getContext();
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](RankedTensorType type) {
      return type.clone(graph::signless(type.getElementType()));
    });
    auto cast = [](OpBuilder &b, Type type, ValueRange inputs,
                   Location loc) -> Value {
      return b.create<UnrealizedConversionCastOp>(loc, type, inputs)
          .getResult(0);
    };
    converter.addSourceMaterialization(cast);
    converter.addTargetMaterialization(cast);
    converter.addArgumentMaterialization(cast);

    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addDynamicallyLegalDialect<graph::GraphDialect>([](Operation *op) {
      auto role = dyn_cast<graph::FusionOpInterface>(op);
      return !isa<graph::ScalarOpInterface>(op) &&
             (isa<graph::ConstantOp, graph::YieldOp, graph::GroupOp,
                  graph::IfOp, graph::WhileOp, graph::CheckOp>(op) ||
              !role);
    });

    // Before patterns change the neighbors of these.
    llvm::DenseSet<Operation *> ofAttentions;
    getOperation()->walk([&](graph::SoftmaxOp op) {
      if (isInAttention(op))
        ofAttentions.insert(op);
    });
    target.addDynamicallyLegalOp<graph::SoftmaxOp>(
        [&](graph::SoftmaxOp op) { return ofAttentions.contains(op); });
    target.addDynamicallyLegalOp<graph::CustomOp>(
        [&](graph::CustomOp op) { return converter.isLegal(op); });
    target.addDynamicallyLegalOp<graph::ConstantOp>(
        [](graph::ConstantOp op) { return !numberInKernel(op); });

    RewritePatternSet patterns(context);
    patterns.add<LowerConstant, ConvertCustom>(converter, context);
    addContractionPatterns(converter, patterns);
    addElementwisePatterns(converter, patterns);
    addIndexPatterns(converter, patterns);
    addLinearPatterns(converter, patterns);
    addNeuralPatterns(converter, patterns);
    addPackedPatterns(converter, patterns);
    addReducePatterns(converter, patterns);
    addScatterPatterns(converter, patterns);
    addCornerPatterns(converter, patterns);
    addShapePatterns(converter, patterns);
    addSortPatterns(converter, patterns);
    addTopKPatterns(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType());
    });
    target.addDynamicallyLegalOp<func::ReturnOp>(
        [&](func::ReturnOp op) { return converter.isLegal(op); });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir::lower
