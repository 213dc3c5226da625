// Scatters into, or of, tensors of sizes known only at run time.

#include "compiler/import/bounded/Rows.h"
#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

using graph::Combiner;

/// The combiner that the op's name ends with.
Combiner combinerOf(StringRef op) {
  return llvm::StringSwitch<Combiner>(op)
      .EndsWith("Add", Combiner::add)
      .EndsWith("Sub", Combiner::sub)
      .EndsWith("Mul", Combiner::mul)
      .EndsWith("Min", Combiner::min)
      .EndsWith("Max", Combiner::max)
      .Default(Combiner::update);
}

/// Index vectors in the last dimension of `indices`, each for its part of
/// `updates`: checked, and scattered into `x`.
LogicalResult scatterVectors(Node &node, Traced x, Traced indices,
                             Traced updates, Combiner combiner) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes into = sizesOf(x), vectors = sizesOf(indices), parts = sizesOf(updates);
  if (vectors.empty() || !vectors.back().isKnown() ||
      !isIndexType(typeOf(indices.value).getElementType()))
    return node.error() << "holds no index vectors but "
                        << indices.value.getType();
  size_t rank = vectors.size() - 1, length = vectors.back().bound;
  if (length > into.size() || typeOf(updates.value).getElementType() !=
                                  typeOf(x.value).getElementType())
    return node.error() << "cannot put " << updates.value.getType() << " at "
                        << indices.value.getType() << " of "
                        << x.value.getType();
  ArrayRef<Size> slice = ArrayRef(into).drop_front(length);
  if (parts.size() != rank + slice.size())
    return node.error() << "the updates are " << updates.value.getType()
                        << " for slices of " << x.value.getType();
  bool isTruth = typeOf(x.value).getElementType().isInteger(1);
  if (isTruth && combiner != Combiner::update && combiner != Combiner::min &&
      combiner != Combiner::max)
    return node.error() << "cannot " << graph::stringifyCombiner(combiner)
                        << " truth values";
  if (failed(shareSizes(node, indices, updates, rank)))
    return failure();
  // The slices of both have the same sizes: compared from the front on.
  parts = sizesOf(updates);
  Traced rows = withSizes(
      splat(b, RankedTensorType::get(boundsOf(slice), b.getI1Type()), 0),
      slice);
  Traced own = withSizes(
      splat(b,
            RankedTensorType::get(ArrayRef(boundsOf(parts)).drop_front(rank),
                                  b.getI1Type()),
            0),
      ArrayRef(parts).drop_front(rank));
  if (failed(shareSizes(node, rows, own, slice.size())))
    return failure();
  SmallVector<int64_t> bounds = boundsOf(ArrayRef(parts).take_front(rank));
  llvm::append_range(bounds, boundsOf(slice));
  Expr values(b, inPlaceOf(b, updates.value, bounds));

  Expr real = inside(b, sizesOf(indices), rank);
  SmallVector<int64_t> columns(real.shape());
  columns.push_back(1);
  real = reshape(real, columns);
  Expr all(b, indices.value);
  for (size_t k = 0; k < length; ++k) {
    Expr index = cast(weir::slice(all, rank, k, 1), b.getI64Type());
    Expr fits = apply<graph::LogicalAndOp>(
        apply<graph::GreaterEqualOp>(index, number(b, 0)),
        apply<graph::LessOp>(index, exactly(b, into[k])));
    require(node,
            apply<graph::LogicalOrOp>(fits, apply<graph::LogicalNotOp>(real)),
            "an index is not below the size of dimension " + Twine(k));
  }
  // Without indices all updates go to the whole: those beyond must not.
  if (length == 0 && rank > 0 &&
      !llvm::all_of(ArrayRef(sizesOf(indices)).take_front(rank),
                    [](const Size &size) { return size.isKnown(); }))
    return node.unsupported("index vectors without indices");
  Expr result = scatter(Expr(b, x.value), select(real, all, all.like(-1)),
                        values, combiner);
  if (!result)
    return give(node, result);
  return node.tracedResults({withSizes(result.value, into)});
}

/// A tensor of one value, of the sizes that operand `i` says.
FailureOr<Traced> madeOf(Node &node, unsigned i, Expr value) {
  auto sizes = sizesAt(node, i);
  if (failed(sizes))
    return failure();
  return withSizes(broadcastTo(node.b, value.value, boundsOf(*sizes)), *sizes);
}

/// ScatterNd: into zeros, adding.
LogicalResult importScatterNd(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr updates = operand(node, 1);
  auto zeros = madeOf(node, 2, updates.like(0));
  if (failed(zeros))
    return failure();
  bool isTruth = updates.elementType().isInteger(1);
  return scatterVectors(node, *zeros, node.traced(0), node.traced(1),
                        isTruth ? Combiner::max : Combiner::add);
}

/// Coordinates of a sparse tensor, one or a vector of them, as vectors; and
/// their values, one for all or one each.
LogicalResult scatterSparse(Node &node, Traced dense, Traced coordinates,
                            Traced values, Combiner combiner) {
  ImplicitLocOpBuilder &b = node.b;
  Sizes sizes = sizesOf(coordinates);
  if (sizes.size() < 2) {
    bool isVector = sizes.size() == 1;
    // A scalar is one coordinate; a vector one for each element where elements
    // have one.
    if (isVector && typeOf(dense.value).getRank() != 1)
      sizes.insert(sizes.begin(), Size{1, {}});
    else
      sizes.resize(2, Size{1, {}});
    if (!isVector)
      sizes.assign(2, Size{1, {}});
    coordinates = reshapeBounded(b, coordinates, sizes);
  }
  if (sizes.size() != 2 || typeOf(values.value).getRank() > 1)
    return node.error() << "cannot put " << values.value.getType() << " at "
                        << coordinates.value.getType();
  if (typeOf(values.value).getRank() == 0)
    values =
        withSizes(broadcastTo(b, values.value, {sizes[0].bound}), {sizes[0]});
  return scatterVectors(node, dense, coordinates, values, combiner);
}

/// SparseToDense: filled, with values at coordinates.
LogicalResult importSparseToDense(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  if (node.rank(3) != 0)
    return node.error() << "cannot fill with " << node.type(3);
  auto dense = madeOf(node, 1, operand(node, 3));
  if (failed(dense))
    return failure();
  return scatterSparse(node, *dense, node.traced(0), node.traced(2),
                       Combiner::update);
}

/// SparseTensorDenseAdd: coordinates, values, shape; and a dense tensor.
LogicalResult importSparseAdd(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  return scatterSparse(node, node.traced(3), node.traced(0), node.traced(1),
                       Combiner::add);
}

/// TensorScatterAdd and such, ScatterNdAdd and such.
LogicalResult importBoundedTensorScatter(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  return scatterVectors(node, node.traced(0), node.traced(1), node.traced(2),
                        combinerOf(node.op()));
}

/// ScatterAdd and such: indices of the first dimension.
LogicalResult importBoundedScatter(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Sizes sizes = sizesOf(node.traced(1)), x = sizesOf(node.traced(0));
  sizes.push_back(Size{1, {}});
  Traced indices = reshapeBounded(node.b, node.traced(1), sizes),
         updates = node.traced(2);
  if (x.empty())
    return node.error() << "cannot scatter into " << node.type(0);
  if (typeOf(updates.value).getRank() == 0) {
    sizes.pop_back();
    llvm::append_range(sizes, ArrayRef(x).drop_front());
    updates =
        withSizes(broadcastTo(node.b, updates.value, boundsOf(sizes)), sizes);
  }
  return scatterVectors(node, node.traced(0), indices, updates,
                        combinerOf(node.op()));
}

} // namespace

void addBoundedScatterHandlers(BoundedHandlers &handlers) {
  handlers["ScatterNd"] = {importScatterNd, {2}};
  handlers["SparseToDense"] = {importSparseToDense, {1}};
  handlers["SparseTensorDenseAdd"] = importSparseAdd;
  for (const char *name :
       {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub",
        "TensorScatterMin", "TensorScatterMax", "ScatterNdUpdate",
        "ScatterNdAdd", "ScatterNdSub", "ScatterNdMin", "ScatterNdMax",
        "ScatterNdNonAliasingAdd"})
    handlers[name] = importBoundedTensorScatter;
  for (const char *name : {"ScatterUpdate", "ScatterAdd", "ScatterSub",
                           "ScatterMul", "ScatterMin", "ScatterMax"})
    handlers[name] = importBoundedScatter;
}

} // namespace weir::tensorflow
