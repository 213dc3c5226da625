// The kernels of a module for a GPU: their numbers and how they are launched.

#include "passes/gpu/LaunchTable.h"

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
  for (auto [i, fields] : llvm::enumerate(names)) {
    auto row = dyn_cast<DictionaryAttr>(fields);
    auto name = row ? row.getAs<StringAttr>("name") : nullptr;
    if (!name)
      return module.emitError("has a kernel without a name");
    auto kernel = device.lookupSymbol<LLVM::LLVMFuncOp>(name);
    auto launch = kernel ? attrs::launch.of(kernel) : nullptr;
    if (!launch || launch.size() != 2)
      return device.emitError("has no launch of ") << name;
    auto shared = row.getAs<IntegerAttr>("shared");
    rows[name] = {int64_t(i), launch[0], launch[1],
                  shared ? shared.getInt() : 0};
    kernel->setAttr("nvvm.kernel", b.getUnitAttr());
    kernel->setAttr("nvvm.reqntid",
                    b.getDenseI32ArrayAttr({int32_t(launch[1]), 1, 1}));
    kernel.walk([&](Operation *op) {
      if (isa<NVVM::Barrier0Op, NVVM::ShflOp>(op))
        meeting = std::max(meeting, launch[1]);
    });
  }
  return success();
}

} // namespace weir
