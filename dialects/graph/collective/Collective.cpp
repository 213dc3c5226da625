// Checks of the operations that ranks compute together.

#include "dialects/graph/collective/Collective.h"

#include "dialects/graph/Gradients.h"
#include "dialects/weir/Records.h"
#include "llvm/ADT/StringSet.h"

#include "dialects/graph/collective/CollectiveEnums.cpp.inc"

using namespace mlir;

namespace weir::graph {

/// (C1) of each op. Returns the number of ranks that work together.
static FailureOr<int64_t> countRanks(Operation *op, ArrayAttr axes) {
  MeshAttr mesh = MeshAttr::of(op);
  if (!mesh)
    return op->emitOpError("is in a module without weir.mesh");
  if (axes.empty())
    return op->emitOpError("names no axis");
  llvm::StringSet<> names;
  for (auto axis : axes.getAsRange<StringAttr>()) {
    if (!mesh.sizeOf(axis.getValue()))
      return op->emitOpError("names the axis ")
             << axis << ", and the mesh has " << mesh.getAxes();
    if (!names.insert(axis.getValue()).second)
      return op->emitOpError("names the axis ") << axis << " twice";
  }
  return mesh.sizeOf(axes);
}

/// (C2): `whole` is `part` times the number of ranks along one dimension.
static LogicalResult verifyParts(Operation *op, ArrayAttr axes, Value part,
                                 Value whole, uint64_t along) {
  FailureOr<int64_t> ranks = countRanks(op, axes);
  if (failed(ranks))
    return failure();
  auto of = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  SmallVector<int64_t> shape(of(part).getShape());
  if (along >= shape.size())
    return op->emitOpError("has no dimension ") << along;
  int64_t joined;
  if (llvm::MulOverflow(shape[along], *ranks, joined))
    return op->emitOpError("has too many elements");
  shape[along] = joined;
  if (of(whole) != of(part).clone(shape))
    return op->emitOpError("joins ")
           << *ranks << " parts of " << of(part) << " along dimension " << along
           << ", which is not " << of(whole);
  return success();
}

void forEachMaker(Operation *op, llvm::function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && maker->getBlock() == op->getBlock())
        visit(maker);
  });
}

SmallVector<AllReduceOp> finalReductions(Block &block) {
  SmallVector<AllReduceOp> found;
  DenseSet<Operation *> needed; // by a collective
  for (Operation &op : llvm::reverse(block)) {
    auto reduce = dyn_cast<AllReduceOp>(op);
    if (reduce && !needed.contains(reduce))
      found.push_back(reduce);
    bool exchanges =
        op.walk([](Operation *inner) {
            return isa<AllReduceOp, AllGatherOp, ReduceScatterOp, SendOp>(inner)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          }).wasInterrupted();
    if (exchanges || needed.contains(&op))
      forEachMaker(&op, [&](Operation *maker) { needed.insert(maker); });
  }
  std::reverse(found.begin(), found.end());
  return found;
}

LogicalResult AllReduceOp::verify() { return countRanks(*this, getAxes()); }

LogicalResult AllGatherOp::verify() {
  return verifyParts(*this, getAxes(), getX(), getResult(), getAlong());
}

LogicalResult OwnPartOp::verify() {
  return verifyParts(*this, getAxes(), getResult(), getX(), getAlong());
}

LogicalResult ReduceScatterOp::verify() {
  return verifyParts(*this, getAxes(), getResult(), getX(), getAlong());
}

/// (C1) of messages. Returns the cluster of a role's module.
static FailureOr<ClusterAttr> findCluster(Operation *op) {
  ClusterAttr cluster = ClusterAttr::of(op);
  if (!cluster || !cluster.roleOf(cluster.getRole()))
    return op->emitOpError("is in a module that is for no role of a cluster");
  return cluster;
}

static FailureOr<ClusterRole> findPeer(Operation *op, StringRef name) {
  FailureOr<ClusterAttr> cluster = findCluster(op);
  if (failed(cluster))
    return failure();
  std::optional<ClusterRole> peer = cluster->roleOf(name);
  if (!peer || name == cluster->getRole())
    return op->emitOpError("names '")
           << name << "', which is no other role of the cluster";
  return *peer;
}

LogicalResult SendOp::verify() {
  if (failed(findPeer(*this, getTo())))
    return failure();
  ClusterAttr cluster = ClusterAttr::of(*this);
  if (getEach() && cluster.roleOf(cluster.getRole())->count == 1) // C2
    return emitOpError("has 'each' in a role of one task");
  return success();
}

LogicalResult RecvOp::verify() {
  FailureOr<ClusterRole> from = findPeer(*this, getFrom());
  if (failed(from))
    return failure();
  if (!getEach())
    return success();
  auto type = cast<RankedTensorType>(getType());
  if (from->count == 1 || !type.getRank() ||
      type.getDimSize(0) != from->count) // C2
    return emitOpError("receives ")
           << type << " from each of " << from->count << " tasks";
  return success();
}

LogicalResult AgreeOp::verify() { return findCluster(*this); }

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/collective/CollectiveOps.cpp.inc"
