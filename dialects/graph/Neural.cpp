// Verifies, infers and folds the ops of the family Neural.

#include "dialects/graph/Neural.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Gradients.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/NeuralOps.cpp.inc"

/// The element type of sums of products of `x` and `y`, or null.
static Type productType(Type x, Type y) {
  if (x.isUnsignedInteger(8) && y.isSignlessInteger(8))
    return IntegerType::get(x.getContext(), 32);
  return x == y ? x : Type();
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  auto a = cast<RankedTensorType>(adaptor.getA().getType());
  auto b = cast<RankedTensorType>(adaptor.getB().getType());
  // (C1)
  Type element = productType(a.getElementType(), b.getElementType());
  if (a.getElementType().isF32() &&
      (b.getElementType().isF16() || b.getElementType().isBF16()))
    element = a.getElementType();
  if (!element || a.getRank() < 2 || a.getRank() != b.getRank() ||
      a.getShape().drop_back(2) != b.getShape().drop_back(2))
    return emitOptionalError(loc, "cannot multiply ", a, " by ", b);
  auto rows = a.getShape().take_back(2), columns = b.getShape().take_back(2);
  bool ta = adaptor.getTransposeA(), tb = adaptor.getTransposeB();
  // (C2)
  if (rows[!ta] != columns[tb])
    return emitOptionalError(loc, "contracts ", rows[!ta], " elements of ", a,
                             " with ", columns[tb], " of ", b);
  // (C3)
  if (adaptor.getDepth() && (a.getElementType() != b.getElementType() ||
                             !(element.isF32() || element.isF64())))
    return emitOptionalError(loc, "has a depth for ", a, " and ", b);
  SmallVector<int64_t> shape(a.getShape());
  shape[a.getRank() - 2] = rows[ta];
  shape[a.getRank() - 1] = columns[!tb];
  if (!countElements(shape))
    return emitOptionalError(loc, "makes too many elements");
  results.push_back(a.clone(shape, element));
  return success();
}

std::optional<int64_t> weir::graph::windowCount(int64_t size,
                                                const Window &window) {
  int64_t reach, padded;
  if (size < 0 || window.size < 1 || window.stride < 1 || window.dilation < 1 ||
      window.low < 0 || window.high < 0 ||
      llvm::MulOverflow(window.size - 1, window.dilation, reach) ||
      llvm::AddOverflow(size, window.low, padded) ||
      llvm::AddOverflow(padded, window.high, padded) || padded <= reach)
    return std::nullopt;
  return (padded - reach - 1) / window.stride + 1;
}

LogicalResult ConvolutionOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &results) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto filter = cast<RankedTensorType>(adaptor.getFilter().getType());
  // (C1)
  Type element = productType(x.getElementType(), filter.getElementType());
  if (!element || x.getRank() < 3 || x.getRank() > 5 ||
      x.getRank() != filter.getRank())
    return emitOptionalError(loc, "cannot convolve ", x, " with ", filter);
  // (C2)
  size_t spatial = x.getRank() - 2;
  if (adaptor.getStrides().size() != spatial ||
      adaptor.getPaddingLow().size() != spatial ||
      adaptor.getPaddingHigh().size() != spatial ||
      adaptor.getDilations().size() != spatial)
    return emitOptionalError(loc, "needs strides, paddings and dilations for ",
                             spatial, " dimensions");
  // (C3)
  auto groups = static_cast<int64_t>(adaptor.getGroups());
  int64_t in = x.getShape().back(), out = filter.getShape().back();
  if (groups < 1 || in % groups != 0 || out % groups != 0 ||
      filter.getDimSize(spatial) != in / groups)
    return emitOptionalError(loc, "has ", in, " channels in ", groups,
                             " groups, which ", filter, " does not fit");
  // (C2) (C4)
  SmallVector<int64_t> shape{x.getDimSize(0)};
  for (size_t i = 0; i < spatial; ++i) {
    Window window{filter.getDimSize(i), adaptor.getStrides()[i],
                  adaptor.getDilations()[i], adaptor.getPaddingLow()[i],
                  adaptor.getPaddingHigh()[i]};
    std::optional<int64_t> count = windowCount(x.getDimSize(i + 1), window);
    if (!count)
      return emitOptionalError(loc, "has no place for a window of ",
                               window.size, " in dimension ", i + 1, " of ", x);
    shape.push_back(*count);
  }
  shape.push_back(out);
  if (!countElements(shape))
    return emitOptionalError(loc, "makes too many elements");
  results.push_back(x.clone(shape, element));
  return success();
}

std::optional<int64_t>
weir::graph::paddingBehind(int64_t size, const Window &window, int64_t count) {
  int64_t reach, steps, end;
  if (size < 0 || count < 1 || window.size < 1 || window.stride < 1 ||
      window.dilation < 1 || window.low < 0 ||
      llvm::MulOverflow(window.size - 1, window.dilation, reach) ||
      llvm::MulOverflow(count - 1, window.stride, steps) ||
      llvm::AddOverflow(reach, steps, end) ||
      llvm::AddOverflow(end, int64_t(1), end))
    return std::nullopt;
  // The differences cannot underflow.
  return end - window.low - size;
}

LogicalResult
FilterGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                   Adaptor adaptor,
                                   SmallVectorImpl<Type> &results) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto y = cast<RankedTensorType>(adaptor.getResults().getType());
  // (C1)
  if (x.getElementType() != y.getElementType() || x.getRank() < 3 ||
      x.getRank() > 5 || x.getRank() != y.getRank() ||
      x.getDimSize(0) != y.getDimSize(0))
    return emitOptionalError(loc, "cannot pair images ", x, " with results ",
                             y);
  // (C2)
  size_t spatial = x.getRank() - 2;
  if (adaptor.getWindow().size() != spatial ||
      adaptor.getStrides().size() != spatial ||
      adaptor.getPaddingLow().size() != spatial ||
      adaptor.getDilations().size() != spatial)
    return emitOptionalError(loc,
                             "needs windows, strides, paddings and "
                             "dilations for ",
                             spatial, " dimensions");
  // (C3)
  auto groups = static_cast<int64_t>(adaptor.getGroups());
  int64_t in = x.getShape().back(), out = y.getShape().back();
  if (groups < 1 || in % groups != 0 || out % groups != 0)
    return emitOptionalError(loc, "has ", in, " and ", out, " channels in ",
                             groups, " groups");
  // (C2)
  SmallVector<int64_t> shape{out};
  for (size_t i = 0; i < spatial; ++i) {
    Window window{adaptor.getWindow()[i], adaptor.getStrides()[i],
                  adaptor.getDilations()[i], adaptor.getPaddingLow()[i], 0};
    if (!paddingBehind(x.getDimSize(i + 1), window, y.getDimSize(i + 1)))
      return emitOptionalError(loc, "has no ", y.getDimSize(i + 1),
                               " windows of ", window.size, " in dimension ",
                               i + 1, " of ", x);
    shape.push_back(window.size);
  }
  shape.push_back(in / groups);
  if (!countElements(shape))
    return emitOptionalError(loc, "makes too many elements");
  results.push_back(x.clone(shape));
  return success();
}

/// Infers a type with one element for each window of a pool.
template <typename Adaptor>
static LogicalResult inferPool(std::optional<Location> loc, Adaptor adaptor,
                               Type elementType,
                               SmallVectorImpl<Type> &results) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  // (C1)
  if (x.getRank() < 3 || x.getRank() > 5)
    return emitOptionalError(loc, "has no spatial dimensions in ", x);
  // (C2)
  size_t spatial = x.getRank() - 2;
  if (adaptor.getWindow().size() != spatial ||
      adaptor.getStrides().size() != spatial ||
      adaptor.getPaddingLow().size() != spatial ||
      adaptor.getPaddingHigh().size() != spatial)
    return emitOptionalError(loc, "needs windows, strides and paddings for ",
                             spatial, " dimensions");
  SmallVector<int64_t> shape(x.getShape());
  for (size_t i = 0; i < spatial; ++i) {
    Window window{adaptor.getWindow()[i], adaptor.getStrides()[i], 1,
                  adaptor.getPaddingLow()[i], adaptor.getPaddingHigh()[i]};
    // (C2) (C3)
    std::optional<int64_t> count = windowCount(x.getDimSize(i + 1), window);
    if (!count || window.low >= window.size || window.high >= window.size)
      return emitOptionalError(loc, "has no place for a window of ",
                               window.size, " in dimension ", i + 1, " of ", x);
    shape[i + 1] = *count;
  }
  if (!countElements(shape))
    return emitOptionalError(loc, "makes too many elements");
  results.push_back(RankedTensorType::get(shape, elementType));
  return success();
}

LogicalResult PoolMaxOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  return inferPool(loc, adaptor, getElementTypeOrSelf(adaptor.getX()), results);
}

LogicalResult PoolAverageOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &results) {
  return inferPool(loc, adaptor, getElementTypeOrSelf(adaptor.getX()), results);
}

LogicalResult PoolArgMaxOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  return inferPool(loc, adaptor, IntegerType::get(context, 64), results);
}

/// (C1)
static LogicalResult verifySoftmax(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getRank() == 0)
    return op->emitOpError("needs a last dimension");
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifySoftmax(*this); }

LogicalResult LogSoftmaxOp::verify() { return verifySoftmax(*this); }

LogicalResult SuppressOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  auto boxes = cast<RankedTensorType>(adaptor.getBoxes().getType());
  auto scores = cast<RankedTensorType>(adaptor.getCandidates().getType());
  // (C1)
  if (boxes.getRank() != 2 || boxes.getDimSize(1) != 4 ||
      scores.getRank() != 1 || scores.getDimSize(0) != boxes.getDimSize(0))
    return emitOptionalError(loc, "takes boxes N x 4 and N scores, not ", boxes,
                             " and ", scores);
  // (C2)
  auto limit = static_cast<int64_t>(adaptor.getLimit());
  if (limit < 0)
    return emitOptionalError(loc, "cannot take ", limit, " boxes");
  Type i32 = IntegerType::get(context, 32);
  results.push_back(RankedTensorType::get({limit}, i32));
  results.push_back(RankedTensorType::get({limit}, scores.getElementType()));
  results.push_back(RankedTensorType::get({}, i32));
  return success();
}

void weir::graph::attachNeuralDerivatives(MLIRContext *context) {
  attachDerivatives<
#define GET_OP_LIST
#include "dialects/graph/NeuralOps.cpp.inc"
      >(context);
}
