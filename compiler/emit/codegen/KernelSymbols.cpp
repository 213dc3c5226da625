// Symbols of kernels that profilers show.

#include "compiler/emit/codegen/KernelSymbols.h"

#include "compiler/Place.h"
#include "compiler/emit/Names.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weir {

/// Linkers read a version after the character @, and tools print a symbol as
/// one line. Names of nodes may have any bytes and any length.
static std::string symbolText(StringRef node) {
  constexpr size_t limit = 200;
  std::string text;
  for (char c : node.take_front(limit))
    text += isPrint(c) && c != '@' && c != '"' && c != '\\' ? c : '_';
  return node.size() > limit ? text + "..." : text;
}

static void nameKernel(Module &module, mlir::LLVM::LLVMFuncOp kernel,
                       StringRef prefix) {
  Function *function = module.getFunction((prefix + kernel.getName()).str());
  if (!function || function->isDeclaration())
    return;
  function->addFnAttr(Attribute::NoInline);
  // Variants have kernels of equal names.
  StringRef variant = prefix.drop_front(globals::prefix.size());
  std::string node = symbolText(nodeOf(kernel.getLoc()));
  function->setName(
      (node + (node.empty() ? "[" : " [") + variant + kernel.getName() + "]")
          .str());
}

void nameKernels(NativeModule &native, ArrayRef<mlir::ModuleOp> isaVariants) {
  for (auto [i, source] : enumerate(isaVariants)) {
    std::string prefix = isaVariantPrefix(i);
    mlir::ModuleOp module = source;
    module.walk([&](mlir::LLVM::LLVMFuncOp function) {
      if (attrs::kernel.isOn(function))
        nameKernel(*native.module, function, prefix);
    });
  }
}

} // namespace weir
