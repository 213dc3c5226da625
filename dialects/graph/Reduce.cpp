// Verifies and infers the ops of the family Reduce, and combines elements.

#include "dialects/graph/Reduce.h"

#include "dialects/graph/Gradients.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/elementwise/Scalar.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ReduceOps.cpp.inc"

Type weir::graph::accumulatorOf(Type elementType) {
  if (elementType.isF16() || elementType.isBF16())
    return Float32Type::get(elementType.getContext());
  return signless(elementType);
}

/// The lowest or highest value; infinite for floats.
static TypedAttr extreme(Type elementType, Type type, bool lowest) {
  if (auto number = dyn_cast<FloatType>(type))
    return FloatAttr::get(type,
                          APFloat::getInf(number.getFloatSemantics(), lowest));
  unsigned width = type.getIntOrFloatBitWidth();
  if (elementType.isUnsignedInteger())
    return IntegerAttr::get(type, lowest ? APInt::getMinValue(width)
                                         : APInt::getMaxValue(width));
  return IntegerAttr::get(type, lowest ? APInt::getSignedMinValue(width)
                                       : APInt::getSignedMaxValue(width));
}

static TypedAttr numberAttr(Type type, int64_t number) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, static_cast<double>(number));
  return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), number));
}

TypedAttr weir::graph::identityOf(Reduction kind, Type elementType) {
  Type type = accumulatorOf(elementType);
  switch (kind) {
  case Reduction::prod:
  case Reduction::and_:
    return numberAttr(type, 1);
  case Reduction::max:
  case Reduction::logSumExp:
    return extreme(elementType, type, /*lowest=*/true);
  case Reduction::min:
    return extreme(elementType, type, /*lowest=*/false);
  default:
    return numberAttr(type, 0);
  }
}

/// log(exp(x) + exp(y)), computed from the larger one so that it does not
/// overflow.
static Scalar logAddExp(Scalar x, Scalar y) {
  Scalar most = scalar::maximum(x, y), least = scalar::minimum(x, y);
  // The difference of equal infinities would be NaN.
  Scalar distance = select(x == y, 0.0, least - most);
  return most + scalar::log1p(scalar::exp(distance));
}

Value weir::graph::combine(Reduction kind, Type elementType, OpBuilder &b,
                           Location loc, Value accumulator, Value element) {
  bool isUnsigned = elementType.isUnsignedInteger();
  Scalar sum(b, loc, accumulator, isUnsigned);
  Scalar x(b, loc, element, isUnsigned);
  if (x.isFloat())
    x = x.to(sum.type());
  switch (kind) {
  case Reduction::sum:
    return sum + x;
  case Reduction::prod:
    return sum * x;
  case Reduction::max:
    return scalar::maximum(sum, x);
  case Reduction::min:
    return scalar::minimum(sum, x);
  case Reduction::and_:
    return sum & x;
  case Reduction::or_:
    return sum | x;
  case Reduction::logSumExp:
    break;
  }
  return logAddExp(sum, x);
}

Value weir::graph::finish(Type elementType, OpBuilder &b, Location loc,
                          Value accumulator) {
  Scalar sum(b, loc, accumulator);
  return sum.isFloat() ? sum.to(elementType) : sum;
}

/// The type of `x` without `dimensions`, verified as (C1).
static LogicalResult inferReduced(std::optional<Location> loc, Value x,
                                  ArrayRef<int64_t> dimensions,
                                  SmallVectorImpl<Type> &results) {
  auto type = cast<RankedTensorType>(x.getType());
  if (!areAscendingDims(dimensions, type.getRank()))
    return emitOptionalError(loc, "dimensions [", dimensions,
                             "] are not ascending dimensions of ", type);
  SmallVector<int64_t> shape;
  for (auto [dimension, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(dimension)))
      shape.push_back(size);
  results.push_back(type.clone(shape));
  return success();
}

#define REDUCE_OP(OP)                                                          \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> loc, Adaptor adaptor,             \
      SmallVectorImpl<Type> &results) {                                        \
    return inferReduced(loc, adaptor.getX(), adaptor.getDimensions(),          \
                        results);                                              \
  }
REDUCE_OP(ReduceSumOp)
REDUCE_OP(ReduceProdOp)
REDUCE_OP(ReduceMaxOp)
REDUCE_OP(ReduceMinOp)
REDUCE_OP(ReduceAndOp)
REDUCE_OP(ReduceOrOp)
#undef REDUCE_OP

/// (C1), (C2) of argmin and argmax.
static LogicalResult verifyArg(Operation *op, RankedTensorType x,
                               RankedTensorType result, int64_t axis) {
  if (axis < 0 || axis >= x.getRank())
    return op->emitOpError("axis ") << axis << " is no dimension of " << x;
  if (x.getDimSize(axis) == 0)
    return op->emitOpError("finds no element along axis ")
           << axis << " of " << x;
  SmallVector<int64_t> shape(x.getShape());
  shape.erase(shape.begin() + axis);
  if (result.getShape() != ArrayRef(shape))
    return op->emitOpError("gives ")
           << result << " for " << x << " along axis " << axis;
  return success();
}

LogicalResult ArgMaxOp::verify() {
  return verifyArg(*this, getX().getType(), getType(), getAxis());
}

LogicalResult ArgMinOp::verify() {
  return verifyArg(*this, getX().getType(), getType(), getAxis());
}

/// (C1) of the cumulative ops.
static LogicalResult verifyAxis(Operation *op, RankedTensorType x,
                                int64_t axis) {
  if (axis < 0 || axis >= x.getRank())
    return op->emitOpError("axis ") << axis << " is no dimension of " << x;
  return success();
}

namespace {

/// Merges the dimensions before the axis, and those after it. Loops over few
/// long dimensions are faster.
template <typename Op>
struct JoinAroundAxis : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    RankedTensorType type = op.getType();
    int64_t axis = op.getAxis();
    SmallVector<int64_t> shape;
    for (auto [d, size] : llvm::enumerate(type.getShape()))
      if (int64_t(d) == 0 || int64_t(d) == axis || int64_t(d) == axis + 1)
        shape.push_back(size);
      else
        shape.back() *= size;
    if (int64_t(shape.size()) == type.getRank())
      return b.notifyMatchFailure(op,
                                  "its other dimensions are joined already");
    auto joined =
        b.create<ReshapeOp>(op.getLoc(), type.clone(shape), op.getX());
    auto made =
        b.create<Op>(op.getLoc(), joined.getType(), joined, int64_t(axis > 0),
                     op.getExclusive(), op.getReverse());
    b.replaceOpWithNewOp<ReshapeOp>(op, type, made);
    return success();
  }
};

} // namespace

void CumulativeSumOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<JoinAroundAxis<CumulativeSumOp>>(context);
}

void CumulativeProdOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<JoinAroundAxis<CumulativeProdOp>>(context);
}

void CumulativeLogSumExpOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<JoinAroundAxis<CumulativeLogSumExpOp>>(context);
}

LogicalResult CumulativeSumOp::verify() {
  return verifyAxis(*this, getType(), getAxis());
}

LogicalResult CumulativeProdOp::verify() {
  return verifyAxis(*this, getType(), getAxis());
}

LogicalResult CumulativeLogSumExpOp::verify() {
  return verifyAxis(*this, getType(), getAxis());
}

void weir::graph::attachReduceDerivatives(MLIRContext *context) {
  attachDerivatives<
#define GET_OP_LIST
#include "dialects/graph/ReduceOps.cpp.inc"
      >(context);
}
