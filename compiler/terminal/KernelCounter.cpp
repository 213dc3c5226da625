// Counts the kernels that passes work on, for the progress.

#include "compiler/terminal/KernelCounter.h"

#include "dialects/weir/Attributes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace weir {

static bool isKernel(Operation &op) { return attrs::kernel.isOn(&op); }

void KernelCounter::runBeforePass(Pass *, Operation *op) {
  if (auto module = dyn_cast<ModuleOp>(op)) {
    progress.setKernels(llvm::count_if(*module.getBody(), isKernel));
    ++pipeline;
    return;
  }
  thread_local std::pair<unsigned, Operation *> last;
  std::pair<unsigned, Operation *> current = {pipeline, op};
  if (last == current || !isKernel(*op))
    return;
  last = current;
  progress.addKernels();
}

} // namespace weir
