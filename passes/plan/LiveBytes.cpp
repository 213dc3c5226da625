// Counts the bytes that are live while tasks are put in order.

#include "passes/plan/LiveBytes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::plan {

static bool isView(Operation *op) {
  return isa_and_nonnull<graph::ReshapeOp, graph::SliceOp>(op);
}

static Value rootOf(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The ops of the block that use the value or a view of it, without views.
static SmallVector<Operation *> usersOf(Value value) {
  Block *block = value.getParentBlock();
  SmallVector<Operation *> users;
  SmallVector<Value> work{value};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (isView(user))
        work.push_back(user->getResult(0));
      else
        users.push_back(block->findAncestorOpInBlock(*user));
    }
  return users;
}

/// The bytes of the arena that a value needs.
static int64_t bytesInArena(Value value) {
  Operation *maker = value.getDefiningOp();
  if (!maker || isa<graph::ConstantOp>(maker) ||
      llvm::any_of(usersOf(value), llvm::IsaPred<func::ReturnOp>))
    return 0;
  return graph::tensorBytes(value.getType());
}

static int64_t scratchOf(Operation *op) {
  auto task = dyn_cast<plan::TaskOp>(op);
  Operation *kernel =
      task ? plan::findKernel(task, task.getKernelAttr()) : nullptr;
  IntegerAttr bytes = kernel ? attrs::scratchBytes.of(kernel) : nullptr;
  return bytes ? bytes.getInt() : 0;
}

LiveBytes::LiveBytes(ArrayRef<Operation *> ops) {
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  for (Operation *op : ops)
    if (!isView(op))
      for (Value operand : op->getOperands())
        addOperand(rootOf(operand), inside, ops.front());
}

void LiveBytes::addOperand(Value root, const DenseSet<Operation *> &inside,
                           Operation *first) {
  auto [found, isNew] = buffers.try_emplace(root, Buffer{0, 0});
  Buffer &buffer = found->second;
  ++buffer.uses;
  Operation *maker = root.getDefiningOp();
  if (!isNew || !maker || maker->getBlock() != first->getBlock())
    return;
  buffer.bytes = bytesInArena(root);
  // A buffer that later ops use stays live.
  for (Operation *user : usersOf(root))
    if (!inside.contains(user) && first->isBeforeInBlock(user)) {
      ++buffer.uses;
      break;
    }
  if (!inside.contains(maker))
    live += buffer.bytes;
}

int64_t LiveBytes::during(ArrayRef<Operation *> together) const {
  int64_t bytes = live;
  for (Operation *op : together) {
    bytes += scratchOf(op);
    if (!isView(op))
      for (Value result : op->getResults())
        bytes += bytesInArena(result);
  }
  return bytes;
}

void LiveBytes::run(ArrayRef<Operation *> together) {
  for (Operation *op : together)
    if (!isView(op))
      for (Value result : op->getResults())
        if (buffers.contains(result) || !result.use_empty())
          live += bytesInArena(result);
  for (Operation *op : together)
    if (!isView(op))
      for (Value operand : op->getOperands()) {
        Buffer &buffer = buffers.find(rootOf(operand))->second;
        if (--buffer.uses == 0)
          live -= buffer.bytes;
      }
}

int64_t LiveBytes::peakInOrder(ArrayRef<Operation *> ops) {
  LiveBytes bytes(ops);
  int64_t peak = 0;
  for (Operation *op : ops) {
    peak = std::max(peak, bytes.during(op));
    bytes.run(op);
  }
  return peak;
}

} // namespace weir::plan
