// Math functions become arithmetic that LLVM can vectorize, where that is as
// exact, or calls of libm, where upstream would spell them by others and lose
// digits.

#include "passes/cpu/Passes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_LOWERMATH
#include "passes/cpu/Passes.h.inc"

namespace {

/// A constant of `type`, a scalar or a vector.
Value constant(ImplicitLocOpBuilder &b, Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr =
      isa<FloatType>(element)
          ? TypedAttr(b.getFloatAttr(element, value))
          : TypedAttr(b.getIntegerAttr(element, static_cast<int64_t>(value)));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = SplatElementsAttr::get(vector, attr);
  return b.create<arith::ConstantOp>(attr);
}

Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

/// x * y + z, as one operation where the processor has it.
Value multiplyAdd(ImplicitLocOpBuilder &b, Value x, Value y, Value z) {
  auto contract = arith::FastMathFlags::contract;
  return b.create<arith::AddFOp>(b.create<arith::MulFOp>(x, y, contract), z,
                                 contract);
}

/// The power of 2 that `n`, an integer of -126 to 127, is.
Value powerOfTwo(ImplicitLocOpBuilder &b, Value n, Type type) {
  Value biased = b.create<arith::AddIOp>(n, constant(b, n.getType(), 127));
  Value bits = b.create<arith::ShLIOp>(biased, constant(b, n.getType(), 23));
  return b.create<arith::BitcastOp>(type, bits);
}

/// exp of f32: 2^n times the exponential of at most half of log 2, whose series
/// is cut off below the last bit. Within 1 unit in the last place.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto number = [&](double value) { return constant(b, type, value); };
    Value x = op.getOperand();
    // Beyond these limits the result is infinite, or 0; NaN stays.
    for (auto [limit, beyond] :
         {std::make_pair(-105.0, arith::CmpFPredicate::OLT),
          std::make_pair(89.0, arith::CmpFPredicate::OGT)}) {
      Value isBeyond = b.create<arith::CmpFOp>(beyond, x, number(limit));
      x = b.create<arith::SelectOp>(isBeyond, number(limit), x);
    }
    Value isNumber = b.create<arith::CmpFOp>(arith::CmpFPredicate::ORD, x, x);
    Value n = b.create<math::RoundEvenOp>(
        b.create<arith::MulFOp>(x, number(1.4426950408889634)));
    Value whole = b.create<arith::FPToSIOp>(
        withElement(type, b.getI32Type()),
        b.create<arith::SelectOp>(isNumber, n, number(0)));
    // log 2 in two parts, the first of few digits: its products are exact.
    Value r = multiplyAdd(b, n, number(-0.693359375), x);
    r = multiplyAdd(b, n, number(2.12194440054690583e-4), r);
    Value y = number(1.0 / 5040);
    for (double coefficient :
         {1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
      y = multiplyAdd(b, y, r, number(coefficient));
    // In two steps, so that neither power leaves the range of f32.
    Value half =
        b.create<arith::ShRSIOp>(whole, constant(b, whole.getType(), 1));
    Value rest = b.create<arith::SubIOp>(whole, half);
    y = b.create<arith::MulFOp>(y, powerOfTwo(b, half, type));
    y = b.create<arith::MulFOp>(y, powerOfTwo(b, rest, type));
    rewriter.replaceOp(op, y);
    return success();
  }
};

/// Processors without it would call libm for each.
struct SplitFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, multiplyAdd(b, op.getA(), op.getB(), op.getC()));
    return success();
  }
};

struct LowerMath : impl::LowerMathBase<LowerMath> {
  /// Rewrites ops of f32 among `Ops`, and no others.
  template <typename... Ops>
  LogicalResult expand(RewritePatternSet patterns) {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<Ops...>(op) && (isa<math::FmaOp>(op) ||
                              getElementTypeOrSelf(op->getResult(0)).isF32()))
        ops.push_back(op);
    });
    GreedyRewriteConfig config;
    config.strictMode = GreedyRewriteStrictness::ExistingOps;
    return applyOpPatternsAndFold(ops, std::move(patterns), config);
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    // Upstream's approximations that err by less than 5 units.
    RewritePatternSet upstream(context), own(context), fma(context);
    populateMathPolynomialApproximationPatterns(upstream);
    own.add<ExpandExp>(context);
    fma.add<SplitFma>(context);
    if (failed((expand<math::ExpM1Op, math::Log1pOp, math::TanhOp, math::ErfOp>(
            std::move(upstream)))))
      return signalPassFailure();
    RewritePatternSet logs(context);
    populateMathPolynomialApproximationPatterns(logs);
    if (failed(expand<math::LogOp>(std::move(logs))) ||
        failed(expand<math::ExpOp>(std::move(own))) ||
        failed(expand<math::FmaOp>(std::move(fma))))
      return signalPassFailure();

    RewritePatternSet patterns(context);
    populateMathToLibmConversionPatterns(patterns);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<math::ExpM1Op, math::Log1pOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace weir
