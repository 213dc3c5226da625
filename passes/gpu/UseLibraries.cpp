// Kernels that are a product of matrices or a convolution are left to a
// library, where that is asked for.

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
    auto gpu = kernel->getParentOp()->getAttrOfType<DictionaryAttr>("weir.gpu");
    auto names = gpu ? gpu.getAs<StringAttr>("library") : nullptr;
    if (!names || !kernel->hasAttr("weir.kernel") ||
        kernel->hasAttr("weir.host") || kernel.isExternal() ||
        kernel->hasAttr("weir.conv") || kernel->hasAttr("weir.attention"))
      return;
    // Of these the graph has only what is a library's.
    if (DictionaryAttr gradient = gpu::gradientOf(kernel))
      return kernel->setAttr("weir.conv", gradient);
    SmallVector<StringRef> libraries;
    names.getValue().split(libraries, ',');
    bool isCounted = llvm::is_contained(libraries, "auto");
    if (isCounted || llvm::is_contained(libraries, "cublaslt"))
      if (DictionaryAttr product = gpu::productOf(kernel, !isCounted))
        return kernel->setAttr("weir.gemm", product);
    if (isCounted || llvm::is_contained(libraries, "cudnn")) {
      if (DictionaryAttr attention = gpu::attentionOf(kernel, !isCounted))
        return kernel->setAttr("weir.attention", attention);
      if (DictionaryAttr convolution = gpu::convolutionOf(kernel, !isCounted))
        kernel->setAttr("weir.conv", convolution);
    }
  }
};

} // namespace
} // namespace weir
