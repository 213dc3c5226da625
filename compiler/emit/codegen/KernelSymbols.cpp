// Symbols of kernels that profilers show.

#include "compiler/emit/codegen/KernelSymbols.h"

#include "compiler/Place.h"
#include "compiler/emit/Names.h"
#include "dialects/plan/Phases.h"
#include "dialects/weir/Attributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstrTypes.h"

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

static constexpr StringLiteral phaseInfix = " phase ";

std::string kernelTitle(mlir::LLVM::LLVMFuncOp kernel, StringRef prefix) {
  auto [name, phase] = plan::partOf(kernel.getName());
  auto module = kernel->getParentOfType<mlir::ModuleOp>();
  // A kernel without barriers is its only phase.
  bool hasOthers =
      phase && (*phase || module.lookupSymbol(plan::phaseName(name, 1)));
  // Variants have kernels of equal names.
  StringRef variant = prefix.drop_front(globals::prefix.size());
  std::string node = symbolText(nodeOf(kernel.getLoc()));
  std::string part = hasOthers ? (phaseInfix + Twine(*phase)).str() : "";
  return (node + (node.empty() ? "[" : " [") + variant + name + "]" + part)
      .str();
}

std::string kernelOfSymbol(StringRef name) {
  size_t open = name.rfind('['), close = name.rfind(']');
  bool isTitle =
      open != StringRef::npos && close != StringRef::npos && open < close;
  StringRef phase = isTitle ? name.drop_front(close + 1) : "";
  if (isTitle)
    name = name.slice(open + 1, close);
  else if (!name.consume_front(globals::prefix))
    return "";
  // The number of a variant.
  auto [number, kernel] = name.split('.');
  if (!kernel.empty() && all_of(number, isDigit))
    name = kernel;
  unsigned which;
  if (!phase.consume_front(phaseInfix) || phase.getAsInteger(10, which))
    return name.str();
  return plan::phaseName(name, which);
}

/// Names the functions by which threads share a kernel after it.
static void nameCallers(Function &kernel) {
  for (User *user : kernel.users())
    if (auto *call = dyn_cast<CallBase>(user))
      if (Function *caller = call->getFunction();
          caller->getName().contains(".part"))
        caller->setName(kernel.getName() + " part");
}

static void nameKernel(Module &module, mlir::LLVM::LLVMFuncOp kernel,
                       StringRef prefix) {
  Function *function = module.getFunction((prefix + kernel.getName()).str());
  if (!function || function->isDeclaration())
    return;
  function->addFnAttr(Attribute::NoInline);
  function->setName(kernelTitle(kernel, prefix));
  nameCallers(*function);
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
