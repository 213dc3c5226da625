// The numbers and launch parameters of a module's GPU kernels.

#include "passes/entry/LaunchTable.h"

#include "dialects/weir/Attributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace weir {

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
        meeting = std::max(meeting, threads);
    });
  }
  return success();
}

} // namespace weir
