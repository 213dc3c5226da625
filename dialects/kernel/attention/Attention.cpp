// What kernel.attention checks.

#include "dialects/kernel/attention/Attention.h"

#include "dialects/kernel/Packed.h"

using namespace mlir;
using namespace weir::kernel;

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

static Type yieldedType(Region &region) {
  return region.front().getTerminator()->getOperand(0).getType();
}

SmallVector<int64_t> AttentionOp::scoreShape() {
  SmallVector<int64_t> shape(shaped(getOut()).getShape());
  // A panel of V has a row for each column of the scores, too.
  shape.back() = shaped(getV()).getShape().end()[-2];
  return shape;
}

Type AttentionOp::scoreType() { return yieldedType(getScores()); }
Type AttentionOp::softmaxType() {
  return getWeights().front().getArgument(0).getType();
}
Type AttentionOp::weightType() { return yieldedType(getWeights()); }

/// (C2): whether a product of sums of `depth` terms can read `right`.
static LogicalResult verifyRight(AttentionOp op, Value right, LayoutAttr layout,
                                 bool isShared, int64_t depth, int64_t columns,
                                 bool transposesLeft) {
  ShapedType type = shaped(right), out = shaped(op.getOut());
  if (!(layout.isPlain() || layout.isPanels() || layout.isKMajor()))
    return op.emitOpError("cannot use weights of ") << type << " in " << layout;
  LayoutUser user{LayoutUser::Matmul, {}, type.getElementType()};
  if (!isShared)
    user.weights.batches.assign(out.getShape().begin(),
                                out.getShape().end() - 2);
  user.weights.depth = depth;
  user.weights.columns = columns;
  user.transposesLeft = transposesLeft;
  return verifyLayout(op, layout, type, user);
}

/// (C2) and (C3): whether sums of a type can be made of these elements.
static LogicalResult verifyElements(AttentionOp op, Type left, Type right,
                                    Region &function) {
  Type sum = function.front().getArgument(0).getType();
  bool widens = left.isF32() && sumType(right) == left;
  if (!isa<FloatType>(left) || !isa<FloatType>(sum) ||
      (left != right && !widens) || (left != sum && sumType(left) != sum))
    return op.emitOpError("cannot multiply ")
           << left << " by " << right << " in " << sum;
  return success();
}

LogicalResult AttentionOp::verify() {
  for (Region *region : getRegions())
    if (region->front().getNumArguments() == 0 ||
        !isa<YieldOp>(region->front().getTerminator()) ||
        region->front().getTerminator()->getNumOperands() != 1)
      return emitOpError("has a region that is no scalar function");
  if (failed(verifyForm(*this)))
    return failure();
  // (C1)
  ShapedType q = shaped(getQ()), out = shaped(getOut()), v = shaped(getV());
  int64_t rank = out.getRank();
  if (rank < 2 || q.getRank() != rank || v.getRank() < 2 ||
      q.getShape().drop_back(2) != out.getShape().drop_back(2) ||
      q.getShape().take_back(2)[getTransposeQ()] != out.getDimSize(rank - 2))
    return emitOpError("cannot make ") << out << " of rows of " << q;
  // (C2)
  SmallVector<int64_t> shape = scoreShape();
  if (failed(verifyRight(*this, getK(), getKLayout(), getSharedK(),
                         q.getShape().take_back(2)[!getTransposeQ()],
                         shape.back(), getTransposeQ())) ||
      failed(verifyRight(*this, getV(), getVLayout(), getSharedV(),
                         shape.back(), out.getShape().back(),
                         /*transposesLeft=*/false)) ||
      failed(verifyElements(*this, q.getElementType(),
                            shaped(getK()).getElementType(), getScores())) ||
      failed(verifyElements(*this, weightType(), v.getElementType(),
                            getEpilogue())))
    return failure();
  // (C3)
  if (!isa<FloatType>(scoreType()) || softmaxType() != sumType(scoreType()))
    return emitOpError("cannot add up a softmax of ")
           << scoreType() << " in " << softmaxType();
  // (C4)
  for (Value terms : {getDepth(), getColumns()})
    if (terms && (shaped(terms).getRank() != 0 ||
                  !shaped(terms).getElementType().isInteger(64)))
      return emitOpError("has a number of terms of type ") << terms.getType();
  auto scores = RankedTensorType::get(shape, scoreType());
  auto weights = RankedTensorType::get(shape, weightType());
  return success(
      succeeded(verifyEpilogue(*this, getScores(), getScoreExtras(),
                               getScoreMaps(), scores)) &&
      succeeded(verifyEpilogue(*this, getWeights(), getWeightExtras(),
                               getWeightMaps(), weights)) &&
      succeeded(verifyEpilogue(*this, getEpilogue(), getExtras(),
                               getExtraMaps(), out)));
}
