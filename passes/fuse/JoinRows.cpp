// Joins groups over the rows of a log softmax.
//
// A loss of softmax cross entropy uses the logarithms twice: for the loss of
// each row, and for the gradient. In groups of their own, each use would read
// all logarithms again.

#include "passes/fuse/GroupPair.h"
#include "passes/fuse/Passes.h"
#include "passes/fuse/Rows.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Neural.h"
#include "dialects/graph/Shape.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "weir-join-rows"

using namespace mlir;

namespace weir::fuse {
#define GEN_PASS_DEF_JOINROWS
#include "passes/fuse/Passes.h.inc"

namespace {

/// The loops of larger groups would not keep their values in registers.
constexpr size_t maxOps = 60;
/// A few rows of so many elements fit L2.
constexpr int64_t maxElements = 1 << 17;

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The log softmax of a group, or null.
graph::LogSoftmaxOp logSoftmaxOf(graph::GroupOp group) {
  auto ops = group.getBody().front().getOps<graph::LogSoftmaxOp>();
  return ops.empty() ? graph::LogSoftmaxOp() : *ops.begin();
}

/// Whether a broadcast gives each row its own value, or repeats a value that
/// the group does not compute.
bool isOfRows(graph::BroadcastOp op, const Rows &rows, bool isComputed) {
  if (shapeOf(op.getX()).empty())
    return true;
  bool isRow =
      shapeOf(op.getX()) == rows.elements.take_front(rows.dimensions) &&
      llvm::equal(op.getDims(), llvm::seq<int64_t>(0, rows.dimensions));
  return isRow || !isComputed;
}

/// Whether all ops of the group are loops over the rows. `from` computes some
/// of its inputs.
bool isOfRows(graph::GroupOp group, const Rows &rows, graph::GroupOp from) {
  auto isComputed = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return !isa<graph::ConstantOp>(value.getDefiningOp());
    Value input = group.getInputs()[argument.getArgNumber()];
    return from && graph::unshaped(input).getDefiningOp() == from;
  };
  return llvm::all_of(
      group.getBody().front().without_terminator(), [&](Operation &op) {
        if (isa<graph::ConstantOp>(op))
          return true;
        if (auto logarithms = dyn_cast<graph::LogSoftmaxOp>(op))
          return shapeOf(logarithms) == rows.elements;
        auto broadcast = dyn_cast<graph::BroadcastOp>(op);
        return rows.has(&op) &&
               (!broadcast ||
                isOfRows(broadcast, rows, isComputed(broadcast.getX())));
      });
}

size_t opsOf(graph::GroupOp group) {
  return group.getBody().front().getOperations().size();
}

bool mayJoin(GroupPair &pair) {
  graph::GroupOp from = pair.from, to = pair.to;
  graph::LogSoftmaxOp logarithms = logSoftmaxOf(from);
  if (!logarithms)
    logarithms = logSoftmaxOf(to);
  if (!logarithms || from->getBlock() != to->getBlock() ||
      attrs::host.isOn(from) != attrs::host.isOn(to) ||
      opsOf(from) + opsOf(to) > maxOps)
    return false;
  ArrayRef<int64_t> shape = shapeOf(logarithms);
  Rows rows(logarithms, shape.size() - 1);
  return shape.size() > 1 && shape.back() <= maxElements &&
         ShapedType::getNumElements(shape.drop_back()) > 1 &&
         isOfRows(from, rows, {}) && isOfRows(to, rows, from) &&
         pair.canJoin(/*movesGroups=*/true);
}

struct JoinRows : impl::JoinRowsBase<JoinRows> {
  void runOnOperation() override {
    if (GpuAttr::of(getOperation()->getParentOfType<ModuleOp>()))
      return;
    joinGroups(
        getOperation(), [](Value input) { return input; },
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
