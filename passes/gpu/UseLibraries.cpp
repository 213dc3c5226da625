// Kernels that are a product of matrices, a convolution, its gradient by the
// filter or an attention are left to a library, where that is asked for.

#include "dialects/weir/Attributes.h"
#include "passes/gpu/Passes.h"

#include "passes/gpu/libraries/Libraries.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_USELIBRARIES
#include "passes/gpu/Passes.h.inc"

namespace {

struct UseLibraries : impl::UseLibrariesBase<UseLibraries> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel) || attrs::host.isOn(kernel) ||
        kernel.isExternal() || attrs::conv.isOn(kernel) ||
        attrs::attention.isOn(kernel))
      return;
    Operation *module = kernel->getParentOp();
    if (std::optional<bool> isForced = gpu::isForced(module, "cublaslt"))
      if (GemmAttr product = gpu::productOf(kernel, *isForced))
        return attrs::gemm.set(kernel, product);
    if (std::optional<bool> isForced = gpu::isForced(module, "cudnn")) {
      // Of these the graph has only what is the library's.
      if (ConvAttr gradient = gpu::gradientOf(kernel))
        return attrs::conv.set(kernel, gradient);
      if (AttentionAttr attention = gpu::attentionOf(kernel, *isForced))
        return attrs::attention.set(kernel, attention);
      if (ConvAttr convolution = gpu::convolutionOf(kernel, *isForced))
        attrs::conv.set(kernel, convolution);
    }
  }
};

} // namespace
} // namespace weir
