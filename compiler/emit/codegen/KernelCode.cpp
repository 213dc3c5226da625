// The code of single kernels, as text.

#include "compiler/emit/codegen/KernelCode.h"

#include "compiler/emit/codegen/Parts.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace weir {
namespace {

std::string textOf(const Module &module) {
  std::string text;
  raw_string_ostream os(text);
  module.print(os, nullptr);
  return text;
}

void removeUnused(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager calls;
  ModuleAnalysisManager modules;
  PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(calls);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, calls, modules);
  GlobalDCEPass().run(module, modules);
}

/// A module with the kernel and the functions and constants that it uses.
std::unique_ptr<Module> moduleOf(const Function &kernel,
                                 TargetMachine &machine) {
  std::unique_ptr<Module> module = CloneModule(*kernel.getParent());
  for (StringRef list : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *variable = module->getNamedGlobal(list))
      variable->eraseFromParent();
  for (GlobalValue &value : module->global_values()) {
    if (value.isDeclaration() || value.getName().starts_with("llvm."))
      continue;
    bool isKernel = value.getName() == kernel.getName();
    value.setVisibility(GlobalValue::DefaultVisibility);
    value.setLinkage(isKernel ? GlobalValue::ExternalLinkage
                              : GlobalValue::InternalLinkage);
    // Other functions call the kernel from other parts of the library.
    if (isKernel)
      value.setVisibility(GlobalValue::HiddenVisibility);
  }
  removeUnused(*module, machine);
  return module;
}

Error compileKernel(NativeModule &native, const Function &kernel,
                    KernelCode &code) {
  std::unique_ptr<Module> module = moduleOf(kernel, *native.machine);
  code.before = textOf(*module);
  optimize(*module, *native.machine, native.optLevel);
  code.after = textOf(*module);
  SmallVector<char, 0> assembly;
  if (Error error = generateAssembly(*module, *native.machine, assembly))
    return error;
  code.assembly.assign(assembly.begin(), assembly.end());
  code.comment = native.machine->getMCAsmInfo()->getCommentString().str();
  return Error::success();
}

} // namespace

Expected<std::vector<KernelCode>>
compileKernels(ArrayRef<mlir::ModuleOp> isaVariants, const EmitOptions &options,
               function_ref<bool(StringRef)> isSelected) {
  auto model = readInterface(isaVariants.front(), "model");
  if (!model)
    return model.takeError();
  auto native =
      buildNative(isaVariants, *model, {}, options.optLevel, Extra::None);
  if (!native)
    return native.takeError();
  std::vector<KernelCode> all;
  for (auto [i, source] : enumerate(isaVariants)) {
    std::string prefix = isaVariantPrefix(i);
    mlir::ModuleOp module = source;
    for (auto kernel : module.getOps<mlir::LLVM::LLVMFuncOp>()) {
      if (!attrs::kernel.isOn(kernel) || !isSelected(kernel.getName()))
        continue;
      Function *function =
          native->module->getFunction((prefix + kernel.getName()).str());
      if (!function || function->isDeclaration())
        continue;
      KernelCode code;
      code.isaVariant = i;
      code.kernel = kernel.getName().str();
      if (Error error = compileKernel(*native, *function, code))
        return std::move(error);
      all.push_back(std::move(code));
    }
  }
  return all;
}

} // namespace weir
