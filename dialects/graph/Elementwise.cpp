// Verifies the ops of the family Elementwise. They fold by their scalar
// functions.

#include "dialects/graph/Elementwise.h"

#include "dialects/graph/Gradients.h"

#include "dialects/graph/elementwise/Scalar.h"
#include "dialects/graph/fold/Fold.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ElementwiseOps.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/graph/elementwise/LogicOps.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/graph/elementwise/MathOps.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/graph/elementwise/SpecialOps.cpp.inc"

LogicalResult BitcastOp::verify() {
  // (C1)
  Type from = getX().getType().getElementType();
  Type to = getType().getElementType();
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError("gives ") << from << " the bits of " << to;
  return success();
}

namespace {

/// The square is the correctly rounded result, and the product of three is
/// within the error of pow. MLIR's patterns for math.powf run too late for
/// gradients. They also turn some powers of f16 and bf16 into roots, which
/// differ at -0 and -infinity.
struct PowerByProducts : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &b) const override {
    Attribute elements;
    if (!matchPattern(op.getY(), m_Constant(&elements)))
      return b.notifyMatchFailure(op, "the exponent is no constant");
    DenseElementsAttr splat = splatOf(elements, op.getType());
    if (!splat)
      return b.notifyMatchFailure(op, "the exponents differ");
    Type element = op.getType().getElementType();
    bool isFloat = isa<FloatType>(element);
    double power = 0;
    if (isFloat)
      power = splat.getSplatValue<APFloat>().convertToDouble();
    else
      power = splat.getSplatValue<APInt>().roundToDouble(
          !element.isUnsignedInteger());
    Value x = op.getX();
    if (power == 1)
      b.replaceOp(op, x);
    else if (power == 2)
      b.replaceOpWithNewOp<SquareOp>(op, x);
    else if (power == 3)
      b.replaceOpWithNewOp<MulOp>(op, b.create<SquareOp>(op.getLoc(), x), x);
    else if (power == -1 && isFloat)
      b.replaceOpWithNewOp<ReciprocalOp>(op, x);
    else
      return b.notifyMatchFailure(op, "no such power by products");
    return success();
  }
};

} // namespace

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<PowerByProducts>(context);
}

void weir::graph::attachElementwiseDerivatives(MLIRContext *context) {
  attachDerivatives<
#define GET_OP_LIST
#include "dialects/graph/ElementwiseOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/LogicOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/MathOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/graph/elementwise/SpecialOps.cpp.inc"
      >(context);
}
