// Inserts copies between the memories of a GPU and its host.

#include "passes/bufferize/Passes.h"

#include "dialects/graph/Elements.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Shape.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir::bufferize {
#define GEN_PASS_DEF_CROSSDEVICES
#include "passes/bufferize/Passes.h.inc"

namespace {

bool isOfHost(Operation *op) {
  auto task = dyn_cast<plan::TaskOp>(op);
  return task && task.getHost();
}

struct CrossDevices : impl::CrossDevicesBase<CrossDevices> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    onHost.clear();
    copies.clear();
    reshapes.clear();
    SmallVector<plan::TaskOp> tasks;
    module.walk([&](plan::TaskOp task) {
      if (task.getHost())
        tasks.push_back(task);
    });
    if (tasks.empty())
      return;
    for (plan::TaskOp task : tasks) {
      for (OpOperand &operand : task->getOpOperands())
        operand.set(hostValue(operand.get()));
      for (Value result : task.getResults())
        giveToDevice(result);
    }
    eraseUnused();
    for (plan::TransferOp copy : copies)
      report(copy);
    holdKernels();
  }

private:
  /// The value in the host's memory, copied right after its definition.
  Value hostValue(Value value) {
    if (Operation *maker = value.getDefiningOp(); maker && isOfHost(maker))
      return value;
    if (Value found = onHost.lookup(value))
      return found;
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    Value source = graph::unshaped(value);
    Value made = onHost.lookup(source);
    if (made && source.getDefiningOp<plan::TransferOp>()) {
      reshapes.push_back(value.getDefiningOp<graph::ReshapeOp>());
      made = b.create<graph::ReshapeOp>(value.getLoc(), value.getType(), made);
    } else {
      auto copy =
          b.create<plan::TransferOp>(value.getLoc(), value.getType(), value,
                                     /*host=*/true);
      copies.push_back(copy);
      made = copy;
    }
    return onHost[value] = made;
  }

  /// Makes the users on the GPU read a copy.
  void giveToDevice(Value result) {
    if (llvm::all_of(result.getUsers(), isOfHost))
      return;
    OpBuilder b(result.getContext());
    b.setInsertionPointAfterValue(result);
    auto copy =
        b.create<plan::TransferOp>(result.getLoc(), result.getType(), result,
                                   /*host=*/false);
    copies.push_back(copy);
    result.replaceUsesWithIf(copy, [&](OpOperand &use) {
      return use.getOwner() != copy && !isOfHost(use.getOwner());
    });
    onHost[copy] = result;
  }

  /// Erases copies whose only users were reshapes that the host has, too.
  void eraseUnused() {
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (Operation *op : reshapes)
      while (op && !erased.contains(op) && isa<graph::ReshapeOp>(op) &&
             op->use_empty()) {
        Operation *source = op->getOperand(0).getDefiningOp();
        erased.insert(op);
        op->erase();
        op = source;
      }
    llvm::erase_if(copies, [](plan::TransferOp copy) {
      bool isUnused = copy->use_empty();
      if (isUnused)
        copy.erase();
      return isUnused;
    });
  }

  static void report(plan::TransferOp copy) {
    int64_t bytes = graph::tensorBytes(copy.getType());
    bool isWeight = copy.getSource().getDefiningOp<graph::ConstantOp>();
    if (isWeight)
      emitRemark(copy.getLoc(), "the host reads ")
          << bytes << " bytes of its weights";
    else
      emitRemark(copy.getLoc(), "is copied to the ")
          << (copy.getHost() ? "host: " : "GPU: ") << bytes << " bytes";
  }

  void holdKernels() {
    ModuleOp module = getOperation();
    OpBuilder b(&getContext());
    b.setInsertionPointToEnd(module.getBody());
    auto host = b.create<ModuleOp>(module.getLoc(), plan::hostKernels);
    for (StringRef name :
         {attrs::target.name(), attrs::precision.name(), attrs::slots.name()})
      if (Attribute value = module->getAttr(name))
        host->setAttr(name, value);
    SymbolTable inside(host);
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (attrs::host.isOn(kernel)) {
        kernel->remove();
        inside.insert(kernel);
      }
  }

  llvm::DenseMap<Value, Value> onHost; // by the value on the GPU
  SmallVector<plan::TransferOp> copies;
  SmallVector<Operation *> reshapes; // reshapes that the host computes, too
};

} // namespace
} // namespace weir::bufferize
