// From the llvm dialect to an optimised LLVM module: translate, link the
// runtime, add the tables, hide all but the public names, optimise.

#include "compiler/emit/Object.h"

#include "dialects/graph/TargetAttr.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace weir {
namespace {

Error fault(const Twine &message) {
  return createStringError(llvm::inconvertibleErrorCode(), message);
}

void initializeTargets() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
}

/// LLVM's own handler ends the process at an error.
struct KeepErrors : DiagnosticHandler {
  std::string &text;
  KeepErrors(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream os(text);
      DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
      os << '\n';
    }
    return true;
  }
};

CodeGenOptLevel codegenLevel(unsigned optLevel) {
  switch (optLevel) {
  case 0:
    return CodeGenOptLevel::None;
  case 1:
    return CodeGenOptLevel::Less;
  case 2:
    return CodeGenOptLevel::Default;
  }
  return CodeGenOptLevel::Aggressive;
}

Expected<std::unique_ptr<TargetMachine>> makeMachine(const TargetAttr &target,
                                                     unsigned optLevel) {
  std::string error;
  const Target *found =
      TargetRegistry::lookupTarget(target.triple.str(), error);
  if (!found)
    return fault(error);
  TargetOptions options;
  options.FunctionSections = options.DataSections = true;
  std::unique_ptr<TargetMachine> machine(found->createTargetMachine(
      target.triple, target.cpu, target.features, options, Reloc::PIC_,
      std::nullopt, codegenLevel(optLevel)));
  if (!machine)
    return fault("no code generator for " + target.triple);
  return std::move(machine);
}

/// A kernel may be called `free` or `main`: out of the way of libc's names and
/// of the runtime's before these are linked in.
void prefixDefinitions(Module &module) {
  for (GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage())
      value.setName("weir." + value.getName());
}

Error linkRuntime(Module &module) {
  StringRef arch =
      Triple::getArchTypeName(Triple(module.getTargetTriple()).getArch());
  StringRef bitcode = runtimeBitcode(arch);
  if (bitcode.empty())
    return fault("no runtime for " + arch);
  auto runtime = parseBitcodeFile(MemoryBufferRef(bitcode, "runtime"),
                                  module.getContext());
  if (!runtime)
    return runtime.takeError();
  // Kept apart from the model's, these would only differ by accident.
  (*runtime)->setTargetTriple(module.getTargetTriple());
  (*runtime)->setDataLayout(module.getDataLayout());
  for (Function &function : **runtime)
    function.removeFnAttr("no-builtins");
  if (NamedMDNode *ident = (*runtime)->getNamedMetadata("llvm.ident"))
    ident->eraseFromParent();
  if (Linker::linkModules(module, std::move(*runtime)))
    return fault("the runtime does not link with the model");
  return Error::success();
}

void hideAllBut(Module &module, const StringSet<> &visible) {
  for (GlobalValue &value : module.global_values()) {
    if (value.isDeclaration() || value.getName().starts_with("llvm."))
      continue;
    if (visible.contains(value.getName())) {
      value.setVisibility(GlobalValue::DefaultVisibility);
      value.setDSOLocal(true);
      continue;
    }
    value.setVisibility(GlobalValue::DefaultVisibility);
    value.setLinkage(GlobalValue::InternalLinkage);
  }
}

void setAttributes(Module &module, const TargetAttr &target) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (StringRef old :
         {"frame-pointer", "tune-cpu", "stack-protector-buffer-size",
          "min-legal-vector-width"})
      function.removeFnAttr(old);
    function.removeFnAttr(Attribute::UWTable);
    function.addFnAttr(Attribute::NoUnwind);
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    if (target.vectorBits >= 512)
      function.addFnAttr("prefer-vector-width", "512");
  }
}

void optimize(Module &module, TargetMachine &machine, unsigned optLevel) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager calls;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = tuning.LoopInterleaving = optLevel > 0;
  tuning.LoopVectorization = tuning.SLPVectorization = optLevel > 1;
  PassBuilder passes(&machine, tuning);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(calls);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, calls, modules);
  ModulePassManager pipeline;
  if (optLevel == 0)
    pipeline = passes.buildO0DefaultPipeline(OptimizationLevel::O0);
  else
    pipeline = passes.buildPerModuleDefaultPipeline(
        optLevel == 1   ? OptimizationLevel::O1
        : optLevel == 2 ? OptimizationLevel::O2
                        : OptimizationLevel::O3);
  pipeline.run(module, modules);
}

} // namespace

Expected<NativeModule> buildNative(mlir::ModuleOp source,
                                   const ModelInterface &model,
                                   TableOptions options, unsigned optLevel,
                                   Extra extra) {
  initializeTargets();
  mlir::registerBuiltinDialectTranslation(*source.getContext());
  mlir::registerLLVMDialectTranslation(*source.getContext());

  TargetAttr target = TargetAttr::get(source);
  auto machine = makeMachine(target, optLevel);
  if (!machine)
    return machine.takeError();
  NativeModule native;
  native.machine = std::move(*machine);
  native.context = std::make_unique<LLVMContext>();
  native.module =
      mlir::translateModuleToLLVMIR(source, *native.context, "weir");
  if (!native.module)
    return fault("the module does not translate to LLVM IR");
  Module &module = *native.module;
  module.setTargetTriple(target.triple);
  module.setDataLayout(native.machine->createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);

  prefixDefinitions(module);
  if (Error error = linkRuntime(module))
    return std::move(error);
  auto *size = module.getNamedGlobal("weir_context_bytes");
  if (!size || !size->hasInitializer())
    return fault("the runtime does not say its context's size");
  native.contextBytes = options.contextBytes =
      cast<ConstantInt>(size->getInitializer())->getZExtValue();
  options.cpu = requiredCpuBits(target.triple, target.features);
  if (Error error = addTables(module, model, options))
    return std::move(error);
  StringSet<> visible;
  for (StringRef name :
       {"create", "destroy", "last_error", "status_text", "info"})
    visible.insert((model.prefix + "_" + name).str());
  if (model.plainRun)
    visible.insert(model.prefix + "_run");
  for (const FunctionInterface &function : model.functions)
    visible.insert(function.c);
  if (extra == Extra::Main)
    visible.insert("main");
  hideAllBut(module, visible);
  setAttributes(module, target);
  std::string broken;
  raw_string_ostream os(broken);
  if (verifyModule(module, &os))
    return fault("broken LLVM IR: " + broken);
  optimize(module, *native.machine, optLevel);
  return std::move(native);
}

Error compileObject(NativeModule &native, SmallVectorImpl<char> &object) {
  std::string errors;
  native.context->setDiagnosticHandler(std::make_unique<KeepErrors>(errors));
  raw_svector_ostream os(object);
  legacy::PassManager codegen;
  if (native.machine->addPassesToEmitFile(codegen, os, nullptr,
                                          CodeGenFileType::ObjectFile))
    return fault("the target writes no object files");
  codegen.run(*native.module);
  if (!errors.empty())
    return fault(errors);
  return Error::success();
}

} // namespace weir
