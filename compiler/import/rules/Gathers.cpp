// Gathers, and checks of their indices.

#include "compiler/import/rules/Gathers.h"

#include "compiler/import/bounded/Rows.h"

#include "compiler/import/bounded/PaddedBuffers.h"
#include "compiler/import/bounded/Sizes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Reduce.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir {

LogicalResult checkIndices(TracedNode &node, unsigned operand, Expr indices,
                           int64_t size, bool negativeIsFine) {
  if (!indices || indices.type().getNumElements() == 0)
    return success();
  Attribute value;
  if (matchPattern(indices.value, m_Constant(&value))) {
    std::optional<SmallVector<int64_t>> known = graph::integersOf(value);
    if (known) {
      for (int64_t index : *known)
        if (index >= size || (index < 0 && !negativeIsFine))
          return node.error() << "index " << index << " of operand " << operand
                              << " is not in [0, " << size << ")";
      return success();
    }
  }
  ImplicitLocOpBuilder &b = node.b;
  // A size that the type of the indices cannot hold is never met.
  unsigned width = indices.elementType().getIntOrFloatBitWidth();
  bool isBounded = size <= llvm::maxIntN(width) - 1;
  Expr zero = indices.like(0),
       limit = indices.like(isBounded ? static_cast<double>(size) : 0);
  if (!align(limit, indices) || !align(zero, indices))
    return success();
  Value fits;
  if (isBounded)
    fits = make<graph::LessOp>(b, indices.value, limit.value);
  if (!negativeIsFine) {
    Value above = make<graph::GreaterEqualOp>(b, indices.value, zero.value);
    fits = fits ? make<graph::LogicalAndOp>(b, fits, above) : above;
  }
  if (!fits)
    return success();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, indices.rank()));
  Value all = make<graph::ReduceAndOp>(b, fits, dims);
  b.create<graph::CheckOp>(all,
                           ("node '" + node.name() +
                            "': an index is not in [0, " + Twine(size) + ")")
                               .str());
  return success();
}

/// Checks that the indices that count are below the size.
static void checkBounded(TracedNode &node, const Traced &indices, Expr size) {
  Expr index(node.b, castTo(node.b, indices.value, node.b.getI64Type()));
  Traced fits = indices;
  fits.value = apply<graph::LogicalAndOp>(
                   apply<graph::GreaterEqualOp>(index, number(node.b, 0)),
                   apply<graph::LessOp>(index, size))
                   .value;
  require(node, masked(node.b, fits, 1), "an index is out of range");
}

Expr gatherNd(Expr x, Expr indices, int64_t batch) {
  if (!x || !indices)
    return {};
  return {*x.b, make<graph::GatherNdOp>(*x.b, x.value, indices.value,
                                        static_cast<uint64_t>(batch))};
}

/// The same from and by tensors of known sizes.
static LogicalResult giveGatheredKnown(TracedNode &node, Expr indices,
                                       int64_t axis, int64_t batch) {
  Expr x = operand(node, 0);
  if (x.shape().take_front(batch) != indices.shape().take_front(batch))
    return node.error() << "cannot gather from " << x.type() << " by "
                        << indices.type() << " with " << batch
                        << " batch dimensions";
  if (failed(checkIndices(node, 1, indices, x.size(axis))))
    return failure();
  SmallVector<int64_t> shape(x.shape().take_front(axis));
  llvm::append_range(shape, indices.shape().drop_front(batch));
  llvm::append_range(shape, x.shape().drop_front(axis + 1));
  if (!graph::countElements(shape))
    return node.error() << "cannot make a tensor of shape [" << shape << "]";
  if (x.size(axis) == 0 && !llvm::is_contained(shape, 0))
    return node.error() << "gathers from the empty dimension " << axis << " of "
                        << x.type();
  return node.result(
      make<graph::GatherOp>(node.b, x.value, indices.value, axis, batch));
}

LogicalResult giveGathered(TracedNode &node, Traced indices, int64_t axis,
                           int64_t batch) {
  ImplicitLocOpBuilder &b = node.b;
  Traced x = node.traced(0);
  auto depth = static_cast<int64_t>(sizesOf(indices).size());
  if (axis >= node.rank(0) || batch < 0 || batch > axis || batch > depth)
    return node.error() << "cannot gather from " << node.type(0) << " by "
                        << indices.value.getType() << " along " << axis
                        << " with " << batch << " batch dimensions";
  if (!x.isBounded() && !indices.isBounded())
    return giveGatheredKnown(node, {b, indices.value}, axis, batch);
  if (failed(shareSizes(node, x, indices, batch)))
    return failure();
  Sizes from = sizesOf(x), by = sizesOf(indices), sizes(from);
  checkBounded(node, indices, exactly(b, from[axis]));
  sizes.erase(sizes.begin() + axis);
  sizes.insert(sizes.begin() + axis, by.begin() + batch, by.end());
  SmallVector<int64_t> bounds = boundsOf(sizes);
  Value buffer;
  if (llvm::is_contained(bounds, 0) || from[axis].bound == 0)
    buffer = splat(b, node.type(0).clone(bounds), 0);
  else
    buffer = make<graph::GatherOp>(b, x.value, indices.value, axis, batch);
  return node.tracedResults({withSizes(buffer, sizes)});
}

/// The same from and by tensors of known sizes.
static LogicalResult giveGatheredNdKnown(TracedNode &node, Expr indices,
                                         int64_t batch) {
  Expr x = operand(node, 0);
  int64_t length = indices.shape().back();
  if (x.shape().take_front(batch) != indices.shape().take_front(batch))
    return node.error() << "the index vectors of " << indices.type()
                        << " do not suit " << x.type();
  SmallVector<int64_t> shape(indices.shape().drop_back());
  llvm::append_range(shape, x.shape().drop_front(batch + length));
  if (!graph::countElements(shape))
    return node.error() << "cannot make a tensor of shape [" << shape << "]";
  for (int64_t k = 0; k < length; ++k)
    if (failed(checkIndices(node, 1, slice(indices, indices.rank() - 1, k, 1),
                            x.size(batch + k))))
      return failure();
  if (llvm::is_contained(x.shape().slice(batch, length), 0) &&
      !llvm::is_contained(shape, 0))
    return node.error() << "gathers from an empty dimension of " << x.type();
  return node.result(gatherNd(x, indices, batch).value);
}

LogicalResult giveGatheredNd(TracedNode &node, Traced indices, size_t batch) {
  ImplicitLocOpBuilder &b = node.b;
  Traced x = node.traced(0);
  Sizes sizes = sizesOf(indices);
  if (!sizes.empty() && !sizes.back().isKnown())
    return node.unsupported("index vectors of a length known only at run time");
  auto rank = static_cast<size_t>(node.rank(0));
  if (sizes.empty() || batch >= sizes.size() || batch > rank ||
      sizes.back().bound > static_cast<int64_t>(rank - batch))
    return node.error() << "the index vectors of " << indices.value.getType()
                        << " do not suit " << node.type(0);
  if (!x.isBounded() && !indices.isBounded())
    return giveGatheredNdKnown(node, {b, indices.value},
                               static_cast<int64_t>(batch));
  if (failed(shareSizes(node, x, indices, batch)))
    return failure();
  Expr positions(b, indices.value);
  Sizes from = sizesOf(x);
  sizes = sizesOf(indices);
  int64_t length = sizes.pop_back_val().bound;
  for (int64_t k = 0; k < length; ++k) {
    Sizes one = sizes;
    one.push_back({1, {}});
    checkBounded(
        node,
        withSizes(slice(positions, positions.rank() - 1, k, 1).value, one),
        exactly(b, from[batch + k]));
  }
  bool isEmpty = llvm::is_contained(boundsOf(from), 0);
  sizes.append(from.begin() + batch + length, from.end());
  SmallVector<int64_t> bounds = boundsOf(sizes);
  Value buffer;
  if (isEmpty || llvm::is_contained(bounds, 0))
    buffer = splat(b, node.type(0).clone(bounds), 0);
  else
    buffer =
        gatherNd({b, x.value}, positions, static_cast<int64_t>(batch)).value;
  return node.tracedResults({withSizes(buffer, sizes)});
}

} // namespace weir
