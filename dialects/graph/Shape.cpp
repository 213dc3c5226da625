// Verifies and infers the ops of the family Shape. Their folds are in
// fold/Shape.cpp.

#include "dialects/graph/Shape.h"

#include "dialects/graph/Gradients.h"

#include "dialects/graph/Elements.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ShapeOps.cpp.inc"

LogicalResult ReshapeOp::verify() {
  // (C1)
  if (getX().getType().getElementType() != getType().getElementType())
    return emitOpError("turns elements of ")
           << getX().getType() << " into those of " << getType();
  std::optional<int64_t> from = countElements(getX().getType().getShape()),
                         to = countElements(getType().getShape());
  if (!from || !to)
    return emitOpError("makes too many elements: ") << getType();
  if (*from != *to)
    return emitOpError("turns ") << *from << " elements into " << *to;
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  // (C1)
  if (static_cast<int64_t>(permutation.size()) != type.getRank() ||
      !isPermutation(permutation))
    return emitOptionalError(loc, "[", permutation,
                             "] does not hold each dimension of ", type,
                             " once");
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  results.push_back(type.clone(shape));
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getX().getType(), to = getType();
  // (C1)
  if (from.getElementType() != to.getElementType())
    return emitOpError("turns elements of ") << from << " into those of " << to;
  // (C2)
  if (static_cast<int64_t>(getDims().size()) != from.getRank() ||
      !areAscendingDims(getDims(), to.getRank()))
    return emitOpError("dims [")
           << getDims() << "] are not ascending dimensions of " << to
           << ", one for each of " << from;
  // (C3)
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (from.getDimSize(i) != 1 && from.getDimSize(i) != to.getDimSize(dim))
      return emitOpError("stretches dimension ")
             << i << " of " << from << " to size " << to.getDimSize(dim);
  if (!countElements(to.getShape()))
    return emitOpError("makes too many elements: ") << to;
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(),
                    strides = adaptor.getStrides();
  size_t rank = type.getRank();
  // (C1)
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(loc, "needs ", rank,
                             " starts, limits and strides, has ", starts.size(),
                             ", ", limits.size(), " and ", strides.size());
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    // (C2)
    if (strides[i] <= 0)
      return emitOptionalError(loc, "stride ", strides[i], " of dimension ", i,
                               " is not positive");
    // (C3)
    if (starts[i] < 0 || limits[i] < starts[i] ||
        limits[i] > type.getDimSize(i))
      return emitOptionalError(loc, starts[i], " .. ", limits[i],
                               " is not a range of dimension ", i, " of ",
                               type);
    shape.push_back(llvm::divideCeil(limits[i] - starts[i],
                                     static_cast<uint64_t>(strides[i])));
  }
  results.push_back(type.clone(shape));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &results) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(),
                    interior = adaptor.getInterior();
  size_t rank = type.getRank();
  // (C1)
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return emitOptionalError(
        loc, "needs ", rank, " numbers of low, high and interior, has ",
        low.size(), ", ", high.size(), " and ", interior.size());
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    // (C2)
    if (low[i] < 0 || high[i] < 0 || interior[i] < 0)
      return emitOptionalError(loc, "pads dimension ", i,
                               " by a negative number");
    int64_t size = type.getDimSize(i), gaps;
    // (C3)
    if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interior[i], gaps) ||
        llvm::AddOverflow(size, gaps, size) ||
        llvm::AddOverflow(size, low[i], size) ||
        llvm::AddOverflow(size, high[i], size))
      return emitOptionalError(loc, "makes too many elements");
    shape.push_back(size);
  }
  if (!countElements(shape))
    return emitOptionalError(loc, "makes too many elements");
  results.push_back(type.clone(shape));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  // (C1)
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "needs an operand");
  auto first = cast<RankedTensorType>(adaptor.getInputs()[0].getType());
  int64_t axis = adaptor.getAxis();
  // (C2)
  if (axis < 0 || axis >= first.getRank())
    return emitOptionalError(loc, axis, " is not a dimension of ", first);
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : adaptor.getInputs().drop_front()) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> alike(type.getShape());
    // (C3)
    if (type.getRank() == first.getRank())
      alike[axis] = first.getDimSize(axis);
    if (ArrayRef<int64_t>(alike) != first.getShape() ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "cannot join ", first, " and ", type,
                               " along dimension ", axis);
    // (C4)
    if (llvm::AddOverflow(shape[axis], type.getDimSize(axis), shape[axis]))
      return emitOptionalError(loc, "makes too many elements");
  }
  if (!countElements(shape))
    return emitOptionalError(loc, "makes too many elements");
  results.push_back(first.clone(shape));
  return success();
}

LogicalResult ReverseOp::verify() {
  // (C1)
  if (!areAscendingDims(getDims(), getType().getRank()))
    return emitOpError("dims [")
           << getDims() << "] are not ascending dimensions of " << getType();
  return success();
}

LogicalResult IotaOp::verify() {
  // (C1)
  int64_t axis = getAxis();
  if (axis < 0 || axis >= getType().getRank())
    return emitOpError() << axis << " is not a dimension of " << getType();
  if (!countElements(getType().getShape()))
    return emitOpError("makes too many elements: ") << getType();
  return success();
}

void weir::graph::attachShapeDerivatives(MLIRContext *context) {
  attachDerivatives<
#define GET_OP_LIST
#include "dialects/graph/ShapeOps.cpp.inc"
      >(context);
}
