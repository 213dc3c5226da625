// The plan dialect: its ops.

#include "dialects/plan/Plan.h"

#include "dialects/weir/Attributes.h"
#include "dialects/weir/Weir.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace weir::plan;

#include "dialects/plan/PlanDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"

Operation *weir::plan::findKernel(Operation *inside, FlatSymbolRefAttr name) {
  if (Operation *kernel = SymbolTable::lookupNearestSymbolFrom(inside, name))
    return kernel;
  auto module = inside->getParentOfType<ModuleOp>();
  for (StringRef part : {StringRef(hostKernels), StringRef("weir_gpu_kernels")})
    if (auto kernels =
            module ? module.lookupSymbol<ModuleOp>(part) : ModuleOp())
      if (Operation *kernel = kernels.lookupSymbol(name))
        return kernel;
  return nullptr;
}

llvm::MapVector<StringAttr, SmallVector<TaskOp>>
weir::plan::tasksOfKernels(Operation *root) {
  llvm::MapVector<StringAttr, SmallVector<TaskOp>> tasks;
  root->walk([&](TaskOp task) {
    tasks[task.getKernelAttr().getAttr()].push_back(task);
  });
  return tasks;
}

/// The nearest task in one direction from `op` on, if it is in the task's
/// group.
static TaskOp neighbourInGroup(TaskOp task, Operation *op,
                               Operation *(Operation::*step)()) {
  while (op && !isa<TaskOp>(op))
    op = (op->*step)();
  auto other = cast_or_null<TaskOp>(op);
  bool isSame = other && task.getTaskGroup() &&
                task.getTaskGroup() == other.getTaskGroup();
  return isSame ? other : TaskOp();
}

TaskOp TaskOp::nextInGroup() {
  return neighbourInGroup(*this, (*this)->getNextNode(),
                          &Operation::getNextNode);
}

TaskOp TaskOp::previousInGroup() {
  return neighbourInGroup(*this, (*this)->getPrevNode(),
                          &Operation::getPrevNode);
}

LogicalResult WeightOp::verify() {
  int64_t region = getRegion();
  ArrayAttr regions;
  if (auto module = (*this)->getParentOfType<ModuleOp>())
    regions = attrs::weightRegions.of(module);
  int64_t known = regions ? int64_t(regions.size()) : 0;
  if (region < 0 || region > known)
    return emitOpError("is in region ")
           << region << ", and the module has " << known;
  return success();
}

LogicalResult TransferOp::verify() {
  Operation *maker = getSource().getDefiningOp();
  std::optional<bool> isOnHost;
  if (auto task = dyn_cast_or_null<TaskOp>(maker))
    isOnHost = task.getHost();
  else if (auto transfer = dyn_cast_or_null<TransferOp>(maker))
    isOnHost = transfer.getHost();
  if (isOnHost == getHost())
    return emitOpError("copies a tensor to where it is"); // (C1)
  return success();
}

LogicalResult RunOp::verify() {
  if (getItems() && (static_cast<int64_t>(*getItems()) < 1 || !getTaskGroup()))
    return emitOpError("counts as ")
           << *getItems() << " items of a group"; // (C1)
  return success();
}

void PlanDialect::initialize() {
  getContext()->loadDialect<WeirDialect>();
  addOperations<
#define GET_OP_LIST
#include "dialects/plan/PlanOps.cpp.inc"
      >();
}
