// Collective operators of ONNX Runtime. A model with them is the program of one
// rank: each rank has its own weights, and the mesh divides nothing.

#include "compiler/import/onnx/microsoft/Microsoft.h"

#include "dialects/graph/collective/Collective.h"
#include "dialects/weir/Records.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// The ranks of such an operator: all of the mesh.
struct Group {
  ArrayAttr axes;
  int64_t size;
};

FailureOr<Group> groupOf(Node &node) {
  if (node.size() != 1 || !node.has(0) || node.outputs() != 1)
    return node.unsupported("an exchange of several tensors at once");
  Operation *parent = node.b.getInsertionBlock()->getParentOp();
  // Ranks could execute the graph of a node a different number of times.
  if (!isa<func::FuncOp>(parent))
    return node.unsupported("an exchange between ranks inside of a graph of a "
                            "node");
  MeshAttr mesh = MeshAttr::of(parent);
  if (!mesh)
    return node.error(Status::badUsage)
           << "exchanges tensors with other ranks; --mesh=model=N compiles "
              "for N ranks";
  if (mesh.sizeOf(graph::dataAxis))
    return node.error(Status::badUsage)
           << "is of a model for one rank, and the axis '" << graph::dataAxis
           << "' of --mesh divides a batch of all ranks; --mesh=model=N "
              "divides "
              "nothing";
  return Group{mesh.getAxes(), mesh.ranks()};
}

/// The same, where the node says how many ranks there are.
FailureOr<Group> sizedGroupOf(Node &node) {
  FailureOr<Group> group = groupOf(node);
  if (failed(group))
    return failure();
  int64_t size = node.intAttr("group_size", 1);
  if (size != group->size)
    return node.error() << "is for " << size << " ranks, and --mesh has "
                        << group->size;
  return group;
}

Expr gathered(Node &node, Expr x, int64_t along, const Group &group) {
  SmallVector<int64_t> shape(x.shape());
  shape[along] *= group.size;
  return Expr(node.b, node.b.create<graph::AllGatherOp>(
                          x.type().clone(shape), x.value, along, group.axes));
}

LogicalResult importAllReduce(Node &node) {
  FailureOr<Group> group = groupOf(node);
  if (failed(group))
    return failure();
  if (!isa<FloatType>(node.element(0)))
    return node.error() << "adds no tensors of " << node.element(0);
  return node.result(node.b.create<graph::AllReduceOp>(
      graph::Combine::sum, node.operand(0), group->axes));
}

/// The number of elements of all ranks can exceed what a tensor has.
LogicalResult checkElements(Node &node, int64_t ranks) {
  int64_t elements = node.type(0).getNumElements(), all;
  if (llvm::MulOverflow(elements, ranks, all))
    return node.error() << "makes too many elements of " << node.type(0);
  return success();
}

LogicalResult importAllGather(Node &node) {
  FailureOr<Group> group = sizedGroupOf(node);
  if (failed(group))
    return failure();
  FailureOr<int64_t> along = node.axis(node.intAttr("axis", 1), node.rank(0));
  if (failed(along) || failed(checkElements(node, group->size)))
    return failure();
  return give(node, gathered(node, operand(node, 0), *along, *group));
}

/// Part r of dimension 0 goes to rank r: that rank's part of what all have.
LogicalResult importAllToAll(Node &node) {
  FailureOr<Group> group = sizedGroupOf(node);
  if (failed(group))
    return failure();
  if (node.rank(0) < 1 || node.shape(0)[0] % group->size)
    return node.error() << "cannot divide dimension 0 of " << node.type(0)
                        << " among " << group->size << " ranks";
  if (failed(checkElements(node, group->size)))
    return failure();
  Expr x = operand(node, 0);
  int64_t ranks = group->size, part = x.type().getNumElements() / ranks;
  // From each rank a part for each rank.
  Expr all = gathered(node, reshape(x, {1, ranks, part}), 0, *group);
  Expr own(node.b, node.b.create<graph::OwnPartOp>(
                       RankedTensorType::get({ranks, 1, part}, x.elementType()),
                       all.value, /*along=*/1, group->axes));
  return give(node, reshape(own, x.shape()));
}

} // namespace

void addMicrosoftCollectiveHandlers(Handlers &handlers) {
  handlers["com.microsoft::AllReduce"] = importAllReduce;
  handlers["com.microsoft::AllGather"] = importAllGather;
  handlers["com.microsoft::AllToAll"] = importAllToAll;
}

} // namespace weir::onnx
