// Leaves matrix products, convolutions, gradients by filters and attentions to
// a library, if the user requests that.

#include "passes/lower/Passes.h"

#include "dialects/weir/Attributes.h"
#include "passes/lower/libraries/Libraries.h"

using namespace mlir;

namespace weir::lower {
#define GEN_PASS_DEF_USELIBRARIES
#include "passes/lower/Passes.h.inc"

namespace {

struct UseLibraries : impl::UseLibrariesBase<UseLibraries> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!attrs::kernel.isOn(kernel) || attrs::host.isOn(kernel) ||
        kernel.isExternal() || attrs::conv.isOn(kernel) ||
        attrs::attention.isOn(kernel))
      return;
    Operation *module = kernel->getParentOp();
    if (std::optional<bool> isForced = libraries::isForced(module, "cublaslt"))
      if (GemmAttr product = productOf(kernel, *isForced))
        return attrs::gemm.set(kernel, product);
    if (std::optional<bool> isForced = libraries::isForced(module, "cudnn")) {
      // A kernel of a filter gradient contains nothing but the library's op.
      if (ConvAttr gradient = gradientOf(kernel))
        return attrs::conv.set(kernel, gradient);
      if (AttentionAttr attention = attentionOf(kernel, *isForced))
        return attrs::attention.set(kernel, attention);
      if (ConvAttr convolution = convolutionOf(kernel, *isForced))
        attrs::conv.set(kernel, convolution);
    }
  }
};

} // namespace
} // namespace weir::lower
