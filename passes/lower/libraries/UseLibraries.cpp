// Leaves matrix products, convolutions, gradients by filters and attentions to
// a library, if the user requests that.

#include "passes/lower/Passes.h"

#include "passes/lower/libraries/Libraries.h"

using namespace mlir;

namespace weir {
#define GEN_PASS_DEF_USELIBRARIES
#include "passes/lower/Passes.h.inc"

namespace {

struct UseLibraries : impl::UseLibrariesBase<UseLibraries> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr("weir.kernel") || kernel->hasAttr("weir.host") ||
        kernel.isExternal() || kernel->hasAttr("weir.conv") ||
        kernel->hasAttr("weir.attention"))
      return;
    Operation *module = kernel->getParentOp();
    if (std::optional<bool> isForced = libraries::isForced(module, "cublaslt"))
      if (DictionaryAttr product = libraries::productOf(kernel, *isForced))
        return kernel->setAttr("weir.gemm", product);
    if (std::optional<bool> isForced = libraries::isForced(module, "cudnn")) {
      // A kernel of a filter gradient contains nothing but the library's op.
      if (DictionaryAttr gradient = libraries::gradientOf(kernel))
        return kernel->setAttr("weir.conv", gradient);
      if (DictionaryAttr attention = libraries::attentionOf(kernel, *isForced))
        return kernel->setAttr("weir.attention", attention);
      if (DictionaryAttr convolution =
              libraries::convolutionOf(kernel, *isForced))
        kernel->setAttr("weir.conv", convolution);
    }
  }
};

} // namespace
} // namespace weir
