// Helpers of the passes that move transposes.

#include "passes/graph/layout/Transposes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/Sizes.h"
#include "dialects/weir/Attributes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weir::graph::layout {

static RankedTensorType unpermuted(RankedTensorType type,
                                   ArrayRef<int64_t> permutation) {
  return type.clone(unpermuted(type.getShape(), permutation));
}

bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
}

SmallVector<int64_t> inverse(ArrayRef<int64_t> permutation) {
  return unpermuted(llvm::to_vector(llvm::seq<int64_t>(0, permutation.size())),
                    permutation);
}

SmallVector<int64_t> permuted(ArrayRef<int64_t> values,
                              ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result;
  for (int64_t dim : permutation)
    result.push_back(values[dim]);
  return result;
}

SmallVector<int64_t> unpermuted(ArrayRef<int64_t> values,
                                ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result(values.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    result[dim] = values[i];
  return result;
}

bool isFree(Value value) {
  if (auto transpose = value.getDefiningOp<TransposeOp>())
    value = transpose.getX();
  return isa_and_nonnull<graph::ConstantOp, graph::BroadcastOp>(
      value.getDefiningOp());
}

Value untransposed(PatternRewriter &rewriter, Value value,
                   ArrayRef<int64_t> permutation) {
  Location loc = value.getLoc();
  RankedTensorType type =
      unpermuted(cast<RankedTensorType>(value.getType()), permutation);
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (transpose && transpose.getPermutation() == permutation)
    return transpose.getX();
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>()) {
    SmallVector<int64_t> dims = permuted(permutation, broadcast.getDims());
    // The dimensions of the operand, in the order of the new result.
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
    llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
    Value x = broadcast.getX();
    if (!isIdentity(order))
      x = rewriter.create<TransposeOp>(loc, x, order);
    return rewriter.create<graph::BroadcastOp>(loc, type, x,
                                               permuted(dims, order));
  }
  DenseElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)) && splat.isSplat() &&
      splat.getNumElements() > 0)
    return rewriter.create<graph::ConstantOp>(loc, splat.resizeSplat(type));
  return rewriter.create<TransposeOp>(loc, value, inverse(permutation));
}

Operation *rebuild(PatternRewriter &rewriter, Operation *op,
                   ValueRange operands, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  OperationState state(op->getLoc(), op->getName(), operands,
                       unpermuted(type, permutation), op->getAttrs());
  graph::SizesOfDims sizes = graph::readSizes(
      attrs::sizes.removeFrom(state.attributes), type.getShape());
  if (!sizes.empty()) {
    graph::SizesOfDims moved(sizes.size());
    for (auto [i, dim] : llvm::enumerate(permutation))
      moved[dim] = sizes[i];
    attrs::sizes.addTo(state.attributes,
                       graph::sizesAttr(op->getContext(), moved));
  }
  return rewriter.create(state);
}

} // namespace weir::graph::layout
