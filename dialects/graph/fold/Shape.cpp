// Folds and simplifies the ops of the family Shape.

#include "dialects/graph/fold/Fold.h"

#include "dialects/graph/Shape.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weir::graph;

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  if (getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getX());
    return getResult();
  }
  if (auto value = dense(adaptor.getX()))
    return value.reshape(getType());
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return getX();
  SmallVector<int64_t> strides = stridesOf(getX().getType().getShape());
  return pickFrom(adaptor.getX(), getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [i, dim] : llvm::zip_equal(index, permutation))
      position += i * strides[dim];
    return position;
  });
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  if (getX().getType() == getType())
    return getX();
  // A larger constant would be loaded from memory instead of a few registers.
  // Integers fold anyway, because importers must know shapes.
  auto value = dense(adaptor.getX());
  if (value && value.isSplat())
    return splatOf(value, getType());
  ArrayRef<int64_t> shape = getX().getType().getShape();
  if (isa<FloatType>(getType().getElementType()) &&
      getX().getType().getNumElements() != getType().getNumElements())
    return {};
  SmallVector<int64_t> strides = stridesOf(shape);
  return pickFrom(adaptor.getX(), getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [i, dim] : llvm::enumerate(getDims()))
      position += shape[i] == 1 ? 0 : index[dim] * strides[i];
    return position;
  });
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  if (getX().getType() == getType())
    return getX();
  SmallVector<int64_t> strides = stridesOf(getX().getType().getShape());
  return pickFrom(adaptor.getX(), getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [d, i] : llvm::enumerate(index))
      position += (getStarts()[d] + i * getStrides()[d]) * strides[d];
    return position;
  });
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  auto value = dense(adaptor.getValue());
  if (!value)
    return {};
  if (getX().getType().getNumElements() == 0)
    return splatOf(value, getType());
  auto elements = dense(adaptor.getX());
  if (!elements)
    return {};
  if (elements.isSplat() &&
      elements.getSplatValue<Attribute>() == value.getSplatValue<Attribute>())
    return splatOf(value, getType());
  ArrayRef<int64_t> shape = getX().getType().getShape();
  SmallVector<int64_t> strides = stridesOf(shape);
  return pickElements(
      {elements, value}, getType(), [&](ArrayRef<int64_t> index) {
        int64_t position = 0;
        for (auto [d, i] : llvm::enumerate(index)) {
          int64_t at = i - getLow()[d], step = getInterior()[d] + 1;
          if (at < 0 || at % step != 0 || at / step >= shape[d])
            return ElementRef{1, 0};
          position += at / step * strides[d];
        }
        return ElementRef{0, position};
      });
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  // An operand with all elements is the result.
  for (Value input : getInputs())
    if (input.getType() == getType())
      return input;
  SmallVector<DenseElementsAttr> sources;
  for (Attribute input : adaptor.getInputs()) {
    sources.push_back(dense(input));
    if (!sources.back())
      return {};
  }
  auto sameSplat = [&](DenseElementsAttr source) {
    return source.isSplat() && source.getSplatValue<Attribute>() ==
                                   sources[0].getSplatValue<Attribute>();
  };
  if (sources[0].isSplat() && llvm::all_of(sources, sameSplat))
    if (auto splat = splatOf(sources[0], getType()))
      return splat;
  int64_t axis = getAxis();
  // The operand, and the position in it, for each position along the axis.
  SmallVector<std::pair<int64_t, int64_t>> positions;
  SmallVector<SmallVector<int64_t>> strides;
  if (getType().getDimSize(axis) > foldLimit)
    return {};
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(input.getType()).getShape();
    strides.push_back(stridesOf(shape));
    for (int64_t at = 0; at < shape[axis]; ++at)
      positions.push_back({i, at});
  }
  return pickElements(sources, getType(), [&](ArrayRef<int64_t> index) {
    auto [source, at] = positions[index[axis]];
    int64_t position = 0;
    for (auto [d, i] : llvm::enumerate(index))
      position +=
          (static_cast<int64_t>(d) == axis ? at : i) * strides[source][d];
    return ElementRef{source, position};
  });
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  ArrayRef<int64_t> shape = getType().getShape();
  if (llvm::all_of(getDims(), [&](int64_t dim) { return shape[dim] <= 1; }))
    return getX();
  if (auto inner = getX().getDefiningOp<ReverseOp>())
    if (inner.getDims() == getDims())
      return inner.getX();
  SmallVector<int64_t> strides = stridesOf(shape);
  return pickFrom(adaptor.getX(), getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [d, i] : llvm::enumerate(index))
      position += (llvm::is_contained(getDims(), d) ? shape[d] - 1 - i : i) *
                  strides[d];
    return position;
  });
}

OpFoldResult IotaOp::fold(FoldAdaptor) {
  RankedTensorType type = getType();
  std::optional<int64_t> count = countElements(type.getShape());
  if (!count || *count > foldLimit)
    return {};
  int64_t axis = getAxis(), inner = stridesOf(type.getShape())[axis];
  SmallVector<APInt> integers;
  SmallVector<APFloat> floats;
  auto number = dyn_cast<FloatType>(type.getElementType());
  for (int64_t i = 0; i < *count; ++i) {
    int64_t value = i / inner % type.getDimSize(axis);
    if (number) {
      APFloat &at = floats.emplace_back(number.getFloatSemantics());
      at.convertFromAPInt(APInt(64, value), true, APFloat::rmNearestTiesToEven);
    } else {
      integers.push_back(APInt(64, value).zextOrTrunc(
          type.getElementType().getIntOrFloatBitWidth()));
    }
  }
  if (number)
    return DenseElementsAttr::get(type, floats);
  return DenseElementsAttr::get(type, integers);
}

namespace {

/// A transpose of a transpose is one transpose.
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no transpose makes its operand");
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner.getX(), permutation);
    return success();
  }
};

/// A transpose that moves only dimensions of size 1 is a reshape.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    int64_t last = -1;
    for (int64_t dim : op.getPermutation()) {
      if (op.getX().getType().getDimSize(dim) == 1)
        continue;
      if (dim < last)
        return rewriter.notifyMatchFailure(op,
                                           "it changes the order of elements");
      last = dim;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
    return success();
  }
};

/// A broadcast of a broadcast is one broadcast.
struct MergeBroadcasts : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<BroadcastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no broadcast makes its operand");
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getX(),
                                             dims);
    return success();
  }
};

/// A slice of a slice is one slice.
struct MergeSlices : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<SliceOp>();
    if (!inner || op.getType().getNumElements() == 0)
      return rewriter.notifyMatchFailure(
          op, "no slice makes its operand, or it is empty");
    SmallVector<int64_t> starts, limits, strides;
    for (int64_t d = 0; d < op.getType().getRank(); ++d) {
      // These are positions of existing elements, so nothing overflows.
      int64_t step = inner.getStrides()[d], size = op.getType().getDimSize(d);
      int64_t start = inner.getStarts()[d] + op.getStarts()[d] * step;
      int64_t last =
          inner.getStarts()[d] +
          (op.getStarts()[d] + (size - 1) * op.getStrides()[d]) * step;
      starts.push_back(start);
      limits.push_back(last + 1);
      strides.push_back(size == 1 ? 1 : (last - start) / (size - 1));
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, inner.getX(), starts, limits,
                                         strides);
    return success();
  }
};

/// A slice of a concat within one operand is a slice of that operand.
struct SliceOfConcat : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getX().getDefiningOp<ConcatOp>();
    if (!concat || op.getType().getNumElements() == 0)
      return rewriter.notifyMatchFailure(
          op, "no concat makes its operand, or it is empty");
    int64_t axis = concat.getAxis(), begin = 0;
    for (Value input : concat.getInputs()) {
      int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(axis);
      if (op.getStarts()[axis] >= begin &&
          op.getLimits()[axis] <= begin + size) {
        SmallVector<int64_t> starts(op.getStarts()), limits(op.getLimits());
        starts[axis] -= begin;
        limits[axis] -= begin;
        rewriter.replaceOpWithNewOp<SliceOp>(op, input, starts, limits,
                                             op.getStrides());
        return success();
      }
      begin += size;
    }
    return rewriter.notifyMatchFailure(
        op, "it spans several operands of the concat");
  }
};

/// A concat of a concat along the same axis is one concat. Empty operands are
/// dropped.
struct FlattenConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatOp>();
      if (inner && inner.getAxis() == op.getAxis() && inner->hasOneUse())
        llvm::append_range(inputs, inner.getInputs());
      else if (cast<RankedTensorType>(input.getType())
                   .getDimSize(op.getAxis()) != 0)
        inputs.push_back(input);
    }
    if (inputs.empty() || llvm::equal(inputs, op.getInputs()))
      return rewriter.notifyMatchFailure(
          op, "no operand is empty or a concat on this axis");
    rewriter.replaceOpWithNewOp<ConcatOp>(op, inputs, op.getAxis());
    return success();
  }
};

} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeTransposes, TransposeToReshape>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeBroadcasts>(context);
}

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<MergeSlices, SliceOfConcat>(context);
}

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FlattenConcat>(context);
}
