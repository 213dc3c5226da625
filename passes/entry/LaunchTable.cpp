// The numbers and launch parameters of a module's GPU kernels.

#include "passes/entry/LaunchTable.h"

#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace weir::entry {

LogicalResult LaunchTable::read(ModuleOp module) {
  auto names = attrs::gpuKernels.of(module);
  auto device = module.lookupSymbol<ModuleOp>("weir_gpu_kernels");
  if (!names || !device)
    return module.emitError("has no kernels for a GPU");
  Builder b(module.getContext());
  for (auto [i, row] : llvm::enumerate(names.getAsRange<GpuKernelAttr>())) {
    auto kernel = device.lookupSymbol<LLVM::LLVMFuncOp>(row.getName());
    LaunchAttr launch = kernel ? attrs::launch.of(kernel) : nullptr;
    if (!launch)
      return device.emitError("has no launch of ") << row.getName();
    int64_t threads = launch.getThreads();
    rows[row.getName()] = {int64_t(i), launch.getBlocks(), threads,
                           row.getShared()};
    kernel->setAttr("nvvm.kernel", b.getUnitAttr());
    kernel->setAttr("nvvm.reqntid",
                    b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
    kernel.walk([&](Operation *op) {
      if (isa<NVVM::Barrier0Op, NVVM::ShflOp>(op))
        barrierThreads = std::max(barrierThreads, threads);
    });
  }
  return success();
}

LogicalResult LaunchTable::verifyRuns(ModuleOp module) const {
  WalkResult walk = module.walk([&](plan::RunOp run) -> WalkResult {
    if (run.getHost())
      return success();
    LibraryCallAttr call = attrs::libraryCall.of(run);
    if (!call && !rows.contains(run.getKernel()))
      return run.emitOpError("has a kernel that weir.gpu_kernels lacks");
    if (!call)
      return success();
    auto count = static_cast<int64_t>(run.getOperands().size());
    for (int64_t operand : call.getOperands().asArrayRef())
      if (operand >= count)
        return run.emitOpError("has no operand ")
               << operand << " for " << call.getFunction();
    return success();
  });
  return failure(walk.wasInterrupted());
}

} // namespace weir::entry
