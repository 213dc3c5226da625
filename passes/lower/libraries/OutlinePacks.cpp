// Outlines the packing of filters that are computed at run time, so that a
// library can read the result.

#include "passes/lower/Passes.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_OUTLINEPACKS
#include "passes/lower/Passes.h.inc"

namespace {

struct OutlinePacks : impl::OutlinePacksBase<OutlinePacks> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::pair<func::FuncOp, kernel::PackFilterOp>> packs;
    for (auto kernel : module.getOps<func::FuncOp>())
      if (attrs::conv.isOn(kernel))
        kernel.walk([&](kernel::PackFilterOp pack) {
          packs.emplace_back(kernel, pack);
        });
    if (packs.empty())
      return;
    auto tasks = plan::tasksOfKernels(module);
    SymbolTable symbols(module);
    for (auto [kernel, pack] : packs)
      if (failed(
              outline(kernel, pack, tasks[kernel.getSymNameAttr()], symbols)))
        return signalPassFailure();
  }

private:
  static LogicalResult outline(func::FuncOp kernel, kernel::PackFilterOp pack,
                               ArrayRef<plan::TaskOp> tasks,
                               SymbolTable &symbols) {
    auto filter = dyn_cast<BlockArgument>(pack.getFilter());
    if (!filter || !filter.hasOneUse())
      return pack.emitOpError(
          "packs for a library what is no argument, or is used besides");
    func::FuncOp packer = packerOf(kernel, pack);
    symbols.insert(packer);
    for (plan::TaskOp task : tasks) {
      OpBuilder b(task);
      auto packed = b.create<plan::TaskOp>(
          task.getLoc(), pack->getResultTypes(),
          FlatSymbolRefAttr::get(packer.getSymNameAttr()),
          ValueRange(task->getOperand(filter.getArgNumber())),
          /*task group=*/IntegerAttr(), /*by_rows=*/UnitAttr(),
          /*host=*/UnitAttr());
      task->setOperand(filter.getArgNumber(), packed.getResult(0));
    }
    filter.setType(pack.getResult(0).getType());
    pack.getResult(0).replaceAllUsesWith(filter);
    pack.erase();
    kernel.setType(FunctionType::get(kernel.getContext(),
                                     kernel.getBody().getArgumentTypes(),
                                     kernel.getResultTypes()));
    return success();
  }

  /// A kernel that only packs.
  static func::FuncOp packerOf(func::FuncOp kernel, kernel::PackFilterOp pack) {
    ImplicitLocOpBuilder b(pack.getLoc(), kernel);
    auto packer = b.create<func::FuncOp>(
        (kernel.getName() + "_filter").str(),
        b.getFunctionType(pack.getFilter().getType(), pack->getResultTypes()));
    packer.setPrivate();
    attrs::kernel.set(packer);
    b.setInsertionPointToStart(packer.addEntryBlock());
    auto type = cast<RankedTensorType>(pack.getOut().getType());
    Value empty =
        b.create<tensor::EmptyOp>(type.getShape(), type.getElementType());
    b.create<func::ReturnOp>(
        b.create<kernel::PackFilterOp>(type, packer.getArgument(0), empty,
                                       pack.getLayout(), pack.getGroups())
            ->getResults());
    return packer;
  }
};

} // namespace
} // namespace weir::lower
