// Folds and simplifies the ops of the family Index.

#include "dialects/graph/fold/Fold.h"

#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weir::graph;

static int64_t moveInto(int64_t index, int64_t size) {
  return std::clamp<int64_t>(index, 0, size - 1);
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  if (!dense(adaptor.getX()))
    return {};
  if (auto splat = splatOf(adaptor.getX(), getType()))
    return splat;
  std::optional<SmallVector<int64_t>> indices =
      integersOf(adaptor.getIndices());
  if (!indices)
    return {};
  ArrayRef<int64_t> shape = getX().getType().getShape();
  SmallVector<int64_t> strides = stridesOf(shape),
                       steps = stridesOf(getIndices().getType().getShape());
  int64_t axis = getAxis(), batch = getBatchDims();
  int64_t count = getIndices().getType().getRank() - batch;
  return pickFrom(adaptor.getX(), getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0, at = 0;
    for (int64_t d = 0; d < axis; ++d)
      position += index[d] * strides[d];
    for (int64_t d = axis + 1, e = shape.size(); d < e; ++d)
      position += index[d - 1 + count] * strides[d];
    for (int64_t d = 0; d < batch + count; ++d)
      at += index[d < batch ? d : d - batch + axis] * steps[d];
    position += moveInto((*indices)[at], shape[axis]) * strides[axis];
    return position;
  });
}

OpFoldResult GatherNdOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  if (!dense(adaptor.getX()))
    return {};
  if (auto splat = splatOf(adaptor.getX(), getType()))
    return splat;
  std::optional<SmallVector<int64_t>> indices =
      integersOf(adaptor.getIndices());
  if (!indices)
    return {};
  ArrayRef<int64_t> shape = getX().getType().getShape(),
                    indexShape = getIndices().getType().getShape();
  SmallVector<int64_t> strides = stridesOf(shape),
                       steps = stridesOf(indexShape);
  int64_t batch = getBatchDims(), length = indexShape.back(),
          outer = indexShape.size() - 1;
  return pickFrom(adaptor.getX(), getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0, at = 0;
    for (int64_t d = 0; d < outer; ++d)
      at += index[d] * steps[d];
    for (int64_t d = 0; d < batch; ++d)
      position += index[d] * strides[d];
    for (int64_t k = 0; k < length; ++k)
      position +=
          moveInto((*indices)[at + k], shape[batch + k]) * strides[batch + k];
    for (int64_t d = batch + length, e = shape.size(); d < e; ++d)
      position += index[d - batch - length + outer] * strides[d];
    return position;
  });
}

OpFoldResult ScatterOp::fold(FoldAdaptor adaptor) {
  if (getUpdates().getType().getNumElements() == 0 ||
      getType().getNumElements() == 0)
    return getX();
  auto elements = dense(adaptor.getX());
  auto updates = dense(adaptor.getUpdates());
  std::optional<SmallVector<int64_t>> indices =
      integersOf(adaptor.getIndices());
  std::optional<int64_t> count = countElements(getType().getShape());
  if (!elements || !updates || !indices || getCombiner() != Combiner::update ||
      !count || *count > foldLimit)
    return {};
  // The update of each element, or none.
  ArrayRef<int64_t> shape = getType().getShape();
  SmallVector<int64_t> strides = stridesOf(shape), winner(*count, -1);
  int64_t length = getIndices().getType().getShape().back();
  int64_t slice = 1;
  for (int64_t size : shape.drop_front(length))
    slice *= size;
  int64_t vectors = getUpdates().getType().getNumElements() / slice;
  for (int64_t i = 0; i < vectors; ++i) {
    int64_t at = 0;
    bool inside = true;
    for (int64_t k = 0; k < length; ++k) {
      int64_t index = (*indices)[i * length + k];
      inside &= index >= 0 && index < shape[k];
      if (inside)
        at += index * strides[k];
    }
    for (int64_t j = 0; inside && j < slice; ++j)
      winner[at + j] = i * slice + j;
  }
  return pickElements(
      {elements, updates}, getType(), [&](ArrayRef<int64_t> index) {
        int64_t position = 0;
        for (auto [i, stride] : llvm::zip_equal(index, strides))
          position += i * stride;
        return winner[position] < 0 ? ElementRef{0, position}
                                    : ElementRef{1, winner[position]};
      });
}

OpFoldResult DynamicSliceOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  if (getX().getType() == getType())
    return getX();
  return splatOf(adaptor.getX(), getType());
}

OpFoldResult DynamicUpdateSliceOp::fold(FoldAdaptor) {
  if (getUpdate().getType() == getType())
    return getUpdate();
  if (getUpdate().getType().getNumElements() == 0)
    return getX();
  return {};
}

OpFoldResult OneHotOp::fold(FoldAdaptor adaptor) {
  if (auto none = emptyConstant(getType()))
    return none;
  auto on = dense(adaptor.getOn()), off = dense(adaptor.getOff());
  std::optional<SmallVector<int64_t>> indices =
      integersOf(adaptor.getIndices());
  if (!on || !off || !indices)
    return {};
  SmallVector<int64_t> steps = stridesOf(getIndices().getType().getShape());
  int64_t axis = getAxis();
  return pickElements({on, off}, getType(), [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (int64_t d = 0, e = steps.size(); d < e; ++d)
      at += index[d < axis ? d : d + 1] * steps[d];
    return ElementRef{(*indices)[at] == index[axis] ? 0 : 1, 0};
  });
}

namespace {

/// Indices `start`, `start + step`, ...
struct Run {
  int64_t start, step, count;

  int64_t last() const { return start + (count - 1) * step; }
};

/// Divides `indices` into at most `most` arithmetic sequences. An element
/// between two sequences belongs to the ascending one.
std::optional<SmallVector<Run>> runsOf(ArrayRef<int64_t> indices,
                                       int64_t most) {
  SmallVector<Run> runs;
  for (size_t i = 0; i < indices.size();) {
    if (static_cast<int64_t>(runs.size()) == most)
      return std::nullopt;
    Run run = {indices[i], 0, 1};
    if (i + 1 < indices.size())
      run.step = indices[i + 1] - indices[i];
    while (++i < indices.size() && indices[i] - indices[i - 1] == run.step)
      ++run.count;
    if (run.count > 1 && run.step <= 0 && i < indices.size() &&
        indices[i] - indices[i - 1] == 1) {
      --run.count;
      --i;
    }
    runs.push_back(run);
  }
  return runs;
}

/// Replaces a gather of known indices by slices, if the indices are a few
/// sequences. Padding that repeats or mirrors an image has such indices.
struct GatherToSlices : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr value;
    RankedTensorType x = op.getX().getType();
    if (!matchPattern(op.getIndices(), m_Constant(&value)) ||
        op.getBatchDims() != 0 || value.empty() ||
        x.getDimSize(op.getAxis()) == 0)
      return rewriter.notifyMatchFailure(
          op, "its indices are no constant, or it is empty");
    // No value if there are more indices than folders read.
    std::optional<SmallVector<int64_t>> known = integersOf(value);
    if (!known)
      return rewriter.notifyMatchFailure(
          op, "it has more indices than folders read");
    SmallVector<int64_t> indices = std::move(*known);
    for (int64_t &index : indices)
      index = moveInto(index, x.getDimSize(op.getAxis()));
    // For many short sequences a gather is no slower.
    constexpr int64_t maxRuns = 8, elementsOfRun = 4;
    int64_t most = std::max<int64_t>(1, indices.size() / elementsOfRun);
    auto runs = runsOf(indices, std::min(most, maxRuns));
    if (!runs)
      return rewriter.notifyMatchFailure(op, "its indices form too many runs");
    SmallVector<Value> parts;
    for (const Run &run : *runs)
      parts.push_back(partOf(rewriter, op, run));
    Value whole = parts[0];
    if (parts.size() > 1)
      whole = rewriter.create<ConcatOp>(op.getLoc(), parts, op.getAxisAttr());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), whole);
    return success();
  }

  static Value partOf(PatternRewriter &b, GatherOp op, const Run &run) {
    RankedTensorType x = op.getX().getType();
    int64_t axis = op.getAxis();
    SmallVector<int64_t> starts(x.getRank()), limits(x.getShape()),
        strides(x.getRank(), 1);
    starts[axis] = std::min(run.start, run.last());
    limits[axis] = std::max(run.start, run.last()) + 1;
    if (run.count > 1 && run.step != 0)
      strides[axis] = std::abs(run.step);
    Value part =
        b.create<SliceOp>(op.getLoc(), op.getX(), starts, limits, strides);
    if (run.count == 1 || run.step > 0)
      return part;
    if (run.step < 0)
      return b.create<ReverseOp>(op.getLoc(), part, axis);
    SmallVector<int64_t> shape(x.getShape());
    shape[axis] = run.count;
    return b.create<BroadcastOp>(op.getLoc(), x.clone(shape), part,
                                 llvm::to_vector(llvm::seq(x.getRank())));
  }
};

/// A dynamic slice with known positions is a slice.
struct DynamicSliceToSlice : OpRewritePattern<DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> starts, limits;
    for (auto [start, size, whole] : llvm::zip_equal(
             op.getStarts(), op.getSizes(), op.getX().getType().getShape())) {
      DenseElementsAttr value;
      if (!matchPattern(start, m_Constant(&value)))
        return rewriter.notifyMatchFailure(op, "a start is no constant");
      starts.push_back(
          std::clamp<int64_t>((*integersOf(value))[0], 0, whole - size));
      limits.push_back(starts.back() + size);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(
        op, op.getX(), starts, limits, SmallVector<int64_t>(starts.size(), 1));
    return success();
  }
};

} // namespace

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<GatherToSlices>(context);
}

void DynamicSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<DynamicSliceToSlice>(context);
}
