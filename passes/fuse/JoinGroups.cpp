// Joins two elementwise groups over the same elements, one of which uses the
// result of the other. The joined group has the results of both.

#include "passes/fuse/GroupPair.h"
#include "passes/fuse/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/graph/state/State.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-join-groups"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_JOINGROUPS
#include "passes/fuse/Passes.h.inc"

namespace {

/// Larger groups exceed the registers, and the streams that a hardware
/// prefetcher can follow.
constexpr size_t maxOps = 60, maxStreams = 12;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether the group is one elementwise loop for each of its results.
bool isElementwise(graph::GroupOp group) {
  if (group.getNumResults() == 0)
    return false;
  ArrayRef<int64_t> shape = shapeOf(group.getResult(0));
  if (llvm::is_contained(shape, 0))
    return false;
  return llvm::all_of(
      group.getBody().front().without_terminator(), [&](Operation &op) {
        auto broadcast = dyn_cast<graph::BroadcastOp>(op);
        bool isOfElements =
            isa<graph::ScalarOpInterface, graph::ConstantOp>(op) ||
            (broadcast && isa<BlockArgument>(broadcast.getX()));
        return isOfElements && shapeOf(op.getResult(0)) == shape;
      });
}

size_t opsOf(graph::GroupOp group) {
  return group.getBody().front().getOperations().size();
}

bool isUsedLater(Operation *first, graph::GroupOp to) {
  SmallVector<Operation *> work{first};
  while (!work.empty()) {
    Operation *user = work.pop_back_val();
    if (isa<graph::ReshapeOp>(user)) {
      llvm::append_range(work, user->getResult(0).getUsers());
      continue;
    }
    Operation *position = to->getBlock()->findAncestorOpInBlock(*user);
    if (position && (position == to || to->isBeforeInBlock(position)))
      return true;
  }
  return false;
}

/// Whether the operands that only the earlier group uses, and that now live
/// longer, exceed its results.
bool needsMoreMemory(graph::GroupOp from, graph::GroupOp to) {
  size_t waiting = 0;
  for (Value input : from.getInputs()) {
    // Inputs, variables and weights are live anyway.
    Operation *maker = graph::unshaped(input).getDefiningOp();
    if (shapeOf(input) != shapeOf(from.getResult(0)) || !maker ||
        isa<graph::ReadVariableOp, graph::ConstantOp>(maker))
      continue;
    waiting +=
        llvm::none_of(graph::unshaped(input).getUsers(),
                      [&](Operation *user) { return isUsedLater(user, to); });
  }
  return waiting > from.getNumResults();
}

bool mayJoin(GroupPair &pair) {
  graph::GroupOp from = pair.from, to = pair.to;
  return from->getBlock() == to->getBlock() &&
         attrs::host.isOn(from) == attrs::host.isOn(to) &&
         isElementwise(from) && isElementwise(to) &&
         shapeOf(from.getResult(0)) == shapeOf(to.getResult(0)) &&
         opsOf(from) + opsOf(to) <= maxOps && pair.canJoin() &&
         pair.streams() <= maxStreams && !needsMoreMemory(from, to);
}

struct JoinGroups : impl::JoinGroupsBase<JoinGroups> {
  void runOnOperation() override {
    joinGroups(
        getOperation(), [](Value input) { return graph::unshaped(input); },
        [](GroupPair &pair) {
          if (!mayJoin(pair))
            return false;
          LLVM_DEBUG(llvm::dbgs()
                     << "joins the group at " << pair.from.getLoc()
                     << " with that at " << pair.to.getLoc() << "\n");
          return true;
        });
  }
};

} // namespace
} // namespace weir::fuse
