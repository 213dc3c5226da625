// Verifies and infers the ops of the family Index. Their folds are in
// fold/Index.cpp.

#include "dialects/graph/Index.h"

#include "dialects/graph/Gradients.h"

#include "dialects/graph/Elements.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace weir::graph;

#include "dialects/graph/IndexEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/graph/IndexOps.cpp.inc"

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Infers the result type `element` x `shape`, or fails if it is too large.
static LogicalResult give(std::optional<Location> loc, ArrayRef<int64_t> shape,
                          Type element, SmallVectorImpl<Type> &results) {
  if (!countElements(shape))
    return emitOptionalError(loc, "makes too many elements");
  results.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  RankedTensorType x = typeOf(adaptor.getX()),
                   indices = typeOf(adaptor.getIndices());
  int64_t axis = adaptor.getAxis(), batch = adaptor.getBatchDims();
  // (C1)
  if (batch < 0 || batch > axis || axis >= x.getRank() ||
      batch > indices.getRank())
    return emitOptionalError(loc, "axis ", axis, " and batch_dims ", batch,
                             " do not suit ", x, " and ", indices);
  // (C2)
  if (x.getShape().take_front(batch) != indices.getShape().take_front(batch))
    return emitOptionalError(loc, "batch dimensions of ", x, " and ", indices,
                             " differ");
  SmallVector<int64_t> shape(x.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape().drop_front(batch));
  llvm::append_range(shape, x.getShape().drop_front(axis + 1));
  // (C3)
  if (failed(give(loc, shape, x.getElementType(), results)))
    return failure();
  // (C4)
  if (x.getDimSize(axis) == 0 && !llvm::is_contained(shape, 0))
    return emitOptionalError(loc, "gathers from the empty dimension ", axis,
                             " of ", x);
  return success();
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  RankedTensorType x = typeOf(adaptor.getX()),
                   indices = typeOf(adaptor.getIndices());
  int64_t batch = adaptor.getBatchDims();
  // (C1)
  if (batch < 0 || batch >= indices.getRank() || batch > x.getRank() ||
      indices.getShape().back() > x.getRank() - batch)
    return emitOptionalError(loc, "index vectors of ", indices,
                             " after batch_dims ", batch, " do not suit ", x);
  // (C2)
  if (x.getShape().take_front(batch) != indices.getShape().take_front(batch))
    return emitOptionalError(loc, "batch dimensions of ", x, " and ", indices,
                             " differ");
  ArrayRef<int64_t> indexed =
      x.getShape().drop_front(batch).take_front(indices.getShape().back());
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, x.getShape().drop_front(batch + indexed.size()));
  // (C3)
  if (failed(give(loc, shape, x.getElementType(), results)))
    return failure();
  // (C4)
  if (llvm::is_contained(indexed, 0) && !llvm::is_contained(shape, 0))
    return emitOptionalError(loc, "gathers from an empty dimension of ", x);
  return success();
}

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  RankedTensorType x = typeOf(adaptor.getX()),
                   indices = typeOf(adaptor.getIndices()),
                   updates = typeOf(adaptor.getUpdates());
  // (C1)
  if (indices.getRank() < 1 || indices.getShape().back() > x.getRank())
    return emitOptionalError(loc, "index vectors of ", indices, " do not suit ",
                             x);
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, x.getShape().drop_front(indices.getShape().back()));
  // (C2)
  if (updates.getShape() != ArrayRef<int64_t>(shape) ||
      updates.getElementType() != x.getElementType())
    return emitOptionalError(loc, "updates are ", updates, " where ",
                             RankedTensorType::get(shape, x.getElementType()),
                             " is wanted");
  // (C3)
  Combiner combiner = adaptor.getCombiner();
  if (x.getElementType().isInteger(1) &&
      llvm::is_contained({Combiner::add, Combiner::sub, Combiner::mul},
                         combiner))
    return emitOptionalError(loc, "cannot ", stringifyCombiner(combiner),
                             " Booleans");
  results.push_back(x);
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  RankedTensorType x = typeOf(adaptor.getX());
  ArrayRef<int64_t> sizes = adaptor.getSizes();
  size_t rank = x.getRank();
  // (C1)
  if (adaptor.getStarts().size() != rank || sizes.size() != rank)
    return emitOptionalError(loc, "needs ", rank, " starts and sizes, has ",
                             adaptor.getStarts().size(), " and ", sizes.size());
  // (C2)
  for (auto [size, whole] : llvm::zip_equal(sizes, x.getShape()))
    if (size < 0 || size > whole)
      return emitOptionalError(loc, "a box of [", sizes, "] does not fit in ",
                               x);
  results.push_back(x.clone(sizes));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &results) {
  RankedTensorType x = typeOf(adaptor.getX()),
                   update = typeOf(adaptor.getUpdate());
  // (C1)
  if (x.getElementType() != update.getElementType() ||
      x.getRank() != update.getRank() ||
      static_cast<int64_t>(adaptor.getStarts().size()) != x.getRank())
    return emitOptionalError(loc, "cannot put ", update, " into ", x, " by ",
                             adaptor.getStarts().size(), " starts");
  // (C2)
  for (auto [part, whole] : llvm::zip_equal(update.getShape(), x.getShape()))
    if (part > whole)
      return emitOptionalError(loc, update, " does not fit in ", x);
  results.push_back(x);
  return success();
}

/// Whether the attribute is empty, or a permutation of `rank` dimensions.
static bool isNoneOrPermutation(ArrayRef<int64_t> permutation, size_t rank) {
  return permutation.empty() ||
         (permutation.size() == rank && isPermutationVector(permutation));
}

static bool areSizesAlong(size_t sizes, ArrayRef<int64_t> dims, size_t rank) {
  return sizes == dims.size() &&
         areAscendingDims(dims, static_cast<int64_t>(rank));
}

LogicalResult CompactOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  RankedTensorType x = typeOf(adaptor.getX());
  // (C1)
  if (!areSizesAlong(adaptor.getSizes().size(), adaptor.getDims(), x.getRank()))
    return emitOptionalError(loc, adaptor.getSizes().size(),
                             " sizes do not suit dimensions of ", x);
  // (C2)
  if (!isNoneOrPermutation(adaptor.getPermutation(), x.getRank()))
    return emitOptionalError(loc, "[", adaptor.getPermutation(),
                             "] does not permute the dimensions of ", x);
  return give(loc, {x.getNumElements()}, x.getElementType(), results);
}

LogicalResult SpreadOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  RankedTensorType x = typeOf(adaptor.getX());
  ArrayRef<int64_t> shape = adaptor.getShape();
  // (C1)
  if (!areSizesAlong(adaptor.getSizes().size(), adaptor.getDims(),
                     shape.size()))
    return emitOptionalError(loc, adaptor.getSizes().size(),
                             " sizes do not suit the dimensions");
  // (C2)
  if (x.getRank() != 1 || countElements(shape) != x.getNumElements())
    return emitOptionalError(loc, "the elements of ", x,
                             " are not those of the shape");
  // (C3)
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (!isNoneOrPermutation(permutation, shape.size()))
    return emitOptionalError(loc, "[", permutation,
                             "] does not permute the dimensions");
  SmallVector<int64_t> permuted(shape);
  if (!permutation.empty())
    applyPermutationToVector(permuted, permutation);
  return give(loc, permuted, x.getElementType(), results);
}

LogicalResult FillBeyondOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  RankedTensorType x = typeOf(adaptor.getX()),
                   value = typeOf(adaptor.getValue());
  auto dim = static_cast<int64_t>(adaptor.getDim());
  // (C1)
  if (dim < 0 || dim >= x.getRank() ||
      static_cast<int64_t>(adaptor.getReach()) < 0 || value.getRank() != 0 ||
      value.getElementType() != x.getElementType())
    return emitOptionalError(loc, "cannot fill ", x, " with ", value,
                             " along dimension ", dim);
  results.push_back(x);
  return success();
}

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  RankedTensorType indices = typeOf(adaptor.getIndices());
  int64_t axis = adaptor.getAxis(), depth = adaptor.getDepth();
  // (C1)
  if (axis < 0 || axis > indices.getRank() || depth < 0)
    return emitOptionalError(loc, "axis ", axis, " and depth ", depth,
                             " do not suit ", indices);
  SmallVector<int64_t> shape(indices.getShape());
  shape.insert(shape.begin() + axis, depth);
  // (C3)
  return give(loc, shape, typeOf(adaptor.getOn()).getElementType(), results);
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  // (C1)
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "needs an operand");
  RankedTensorType keys = typeOf(adaptor.getInputs()[0]);
  for (Value input : adaptor.getInputs()) {
    // (C2)
    if (keys.getRank() < 1 || typeOf(input).getShape() != keys.getShape())
      return emitOptionalError(loc, "cannot sort ", typeOf(input), " by ",
                               keys);
    results.push_back(input.getType());
  }
  return success();
}

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  RankedTensorType x = typeOf(adaptor.getX());
  int64_t k = adaptor.getK();
  // (C1)
  if (x.getRank() < 1 || k < 0 || k > x.getShape().back())
    return emitOptionalError(loc, "cannot take the ", k, " largest of ", x);
  SmallVector<int64_t> shape(x.getShape());
  shape.back() = k;
  results.push_back(x.clone(shape));
  results.push_back(x.clone(shape, IntegerType::get(context, 32)));
  return success();
}

LogicalResult SearchSortedOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  RankedTensorType sorted = typeOf(adaptor.getSorted()),
                   values = typeOf(adaptor.getValues());
  // (C1)
  if (sorted.getElementType() != values.getElementType() ||
      sorted.getRank() < 1 || sorted.getRank() != values.getRank() ||
      sorted.getShape().drop_back() != values.getShape().drop_back())
    return emitOptionalError(loc, "cannot search ", sorted, " for ", values);
  results.push_back(
      values.clone(values.getShape(), IntegerType::get(context, 32)));
  return success();
}

void weir::graph::attachIndexDerivatives(MLIRContext *context) {
  attachDerivatives<
#define GET_OP_LIST
#include "dialects/graph/IndexOps.cpp.inc"
      >(context);
}
