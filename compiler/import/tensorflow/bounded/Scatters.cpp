// Scatters into, or of, tensors of sizes known only at run time.

#include "compiler/import/rules/Scatters.h"
#include "compiler/import/bounded/Reshape.h"
#include "compiler/import/bounded/Rows.h"
#include "compiler/import/bounded/Sizes.h"
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
  bool isBoolean = updates.elementType().isInteger(1);
  return giveScattered(node, *zeros, node.traced(0), node.traced(1),
                       isBoolean ? Combiner::max : Combiner::add);
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
  return giveScattered(node, dense, coordinates, values, combiner);
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
  return giveScattered(node, node.traced(0), node.traced(1), node.traced(2),
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
  return giveScattered(node, node.traced(0), indices, updates,
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
