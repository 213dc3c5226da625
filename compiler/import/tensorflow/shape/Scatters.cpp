// Scatters into tensors. Those of reference variables come with the variable's
// value as first operand; their result is the value after.

#include "compiler/import/tensorflow/shape/Scatters.h"

#include "compiler/import/rules/Gathers.h"
#include "compiler/import/tensorflow/shape/Moves.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace weir::tensorflow {
namespace {

/// The combiner that the op's name ends with; nothing for division.
std::optional<graph::Combiner> combinerOf(StringRef op) {
  using graph::Combiner;
  return llvm::StringSwitch<std::optional<Combiner>>(op)
      .EndsWith("Update", Combiner::update)
      .EndsWith("Add", Combiner::add)
      .EndsWith("Sub", Combiner::sub)
      .EndsWith("Mul", Combiner::mul)
      .EndsWith("Min", Combiner::min)
      .EndsWith("Max", Combiner::max)
      .Default(std::nullopt);
}

Expr scatter(Node &node, Expr x, Expr indices, Expr updates,
             graph::Combiner combiner) {
  return Expr(node.b, make<graph::ScatterOp>(node.b, x.value, indices.value,
                                             updates.value, combiner));
}

/// Index vectors in the last dimension of `indices`, each for its part of
/// `updates`: checked, and scattered into `x`.
LogicalResult scatterVectors(Node &node, Expr x, Expr indices, Expr updates,
                             graph::Combiner combiner) {
  if (!isIndexType(indices.elementType()))
    return node.error() << "holds no indices but " << indices.type();
  if (indices.rank() < 1 || indices.shape().back() > x.rank())
    return node.error() << "the index vectors of " << indices.type()
                        << " do not suit " << x.type();
  int64_t length = indices.shape().back();
  Integers shape(indices.shape().drop_back());
  llvm::append_range(shape, x.shape().drop_front(length));
  if (updates.shape() != ArrayRef<int64_t>(shape) ||
      updates.elementType() != x.elementType())
    return node.error() << "the updates are " << updates.type() << " where ["
                        << shape << "] of the type of " << x.type()
                        << " is wanted";
  if (x.elementType().isInteger(1) && combiner != graph::Combiner::update &&
      combiner != graph::Combiner::min && combiner != graph::Combiner::max)
    return node.error() << "cannot " << graph::stringifyCombiner(combiner)
                        << " Booleans";
  for (int64_t k = 0; k < length; ++k)
    if (failed(checkIndices(node, 1, slice(indices, indices.rank() - 1, k, 1),
                            x.size(k))))
      return failure();
  return give(node, scatter(node, x, indices, updates, combiner));
}

/// ScatterNd: into zeros of a constant shape, adding.
LogicalResult importScatterNd(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto shape = node.integers(2);
  if (failed(shape) || failed(countOrError(node, *shape)))
    return failure();
  Expr updates = operand(node, 1);
  Expr zeros = filled(node, *shape, updates.elementType(), 0);
  bool isBool = updates.elementType().isInteger(1);
  return scatterVectors(node, zeros, operand(node, 0), updates,
                        isBool ? graph::Combiner::max : graph::Combiner::add);
}

} // namespace

/// TensorScatterAdd and such, ScatterNdAdd and such.
LogicalResult importTensorScatter(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  auto combiner = combinerOf(node.op());
  if (!combiner)
    return node.unsupported("no such op");
  return scatterVectors(node, operand(node, 0), operand(node, 1),
                        operand(node, 2), *combiner);
}

/// ScatterAdd and such: indices of the first dimension.
LogicalResult importScatter(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr x = operand(node, 0), indices = operand(node, 1),
       updates = operand(node, 2);
  if (x.rank() < 1)
    return node.error() << "cannot scatter into " << x.type();
  Integers shape(indices.shape());
  llvm::append_range(shape, x.shape().drop_front());
  if (updates.rank() == 0)
    updates = broadcast(updates, shape);
  Integers vectors(indices.shape());
  vectors.push_back(1);
  indices = reshape(indices, vectors);
  if (auto combiner = combinerOf(node.op()))
    return scatterVectors(node, x, indices, updates, *combiner);
  // Divided by several numbers is divided by their product.
  Expr ones = filled(node, x.shape(), x.elementType(), 1);
  if (failed(
          scatterVectors(node, ones, indices, updates, graph::Combiner::mul)))
    return failure();
  Expr product(node.b, node.given[0].value);
  return give(node, x / product);
}

namespace {

/// Coordinates of a sparse tensor, one or a vector of them, as vectors; and
/// their values, one for all or one each.
LogicalResult scatterSparse(Node &node, Expr dense, Expr coordinates,
                            Expr values, graph::Combiner combiner) {
  if (coordinates.rank() < 2)
    coordinates = reshape(
        coordinates, {coordinates.type().getNumElements(),
                      coordinates.rank() == 0 || dense.rank() == 1 ? 1 : 0});
  if (!coordinates || coordinates.rank() != 2 || values.rank() > 1)
    return node.error() << "cannot put " << node.type(1) << " at "
                        << node.type(0);
  if (values.rank() == 0)
    values = broadcast(values, {coordinates.size(0)});
  return scatterVectors(node, dense, coordinates, values, combiner);
}

/// SparseToDense: a constant shape, filled, with values at coordinates.
LogicalResult importSparseToDense(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  auto shape = node.integers(1);
  if (failed(shape) || failed(countOrError(node, *shape)))
    return failure();
  if (node.rank(3) != 0)
    return node.error() << "cannot fill with " << node.type(3);
  return scatterSparse(node, broadcast(operand(node, 3), *shape),
                       operand(node, 0), operand(node, 2),
                       graph::Combiner::update);
}

/// SparseTensorDenseAdd: coordinates, values, shape; and a dense tensor.
LogicalResult importSparseAdd(Node &node) {
  if (failed(wantOperands(node, 4)))
    return failure();
  return scatterSparse(node, operand(node, 3), operand(node, 0),
                       operand(node, 1), graph::Combiner::add);
}

/// InplaceUpdate and such: rows of the first dimension.
LogicalResult importInplace(Node &node) {
  if (failed(wantOperands(node, 3)))
    return failure();
  Expr indices = operand(node, 1);
  auto combiner = combinerOf(node.op());
  if (indices.rank() != 1 || !combiner)
    return node.error() << "cannot choose rows by " << indices.type();
  return scatterVectors(node, operand(node, 0),
                        reshape(indices, {indices.size(0), 1}),
                        operand(node, 2), *combiner);
}

} // namespace

void addScatterHandlers(Handlers &handlers) {
  handlers["ScatterNd"] = importScatterNd;
  handlers["SparseToDense"] = importSparseToDense;
  handlers["SparseTensorDenseAdd"] = importSparseAdd;
  for (const char *name : {"InplaceUpdate", "InplaceAdd", "InplaceSub"})
    handlers[name] = importInplace;
  for (const char *name :
       {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub",
        "TensorScatterMin", "TensorScatterMax", "ScatterNdNonAliasingAdd"})
    handlers[name] = importTensorScatter;
}

} // namespace weir::tensorflow
