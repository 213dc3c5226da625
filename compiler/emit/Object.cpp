// From the llvm dialect to an LLVM module: translate, link the runtime, add the
// tables, hide all but the public names.

#include "compiler/emit/Object.h"

#include "compiler/emit/Names.h"
#include "compiler/emit/Simulate.h"

#include "dialects/weir/Attributes.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

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

Expected<std::unique_ptr<TargetMachine>> makeMachine(TargetAttr target,
                                                     unsigned optLevel) {
  std::string error;
  const Target *found =
      TargetRegistry::lookupTarget(target.getTriple().str(), error);
  if (!found)
    return fault(error);
  TargetOptions options;
  options.FunctionSections = options.DataSections = true;
  std::unique_ptr<TargetMachine> machine(found->createTargetMachine(
      target.getTriple(), target.getCpu(), target.getFeatures(), options,
      Reloc::PIC_, std::nullopt, codegenLevel(optLevel)));
  if (!machine)
    return fault("no code generator for " + target.getTriple());
  return std::move(machine);
}

/// A kernel may be called `free` or `main`: out of the way of libc's names and
/// of the runtime's before these are linked in.
void prefixDefinitions(Module &module, StringRef prefix) {
  for (GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage())
      value.setName(prefix + value.getName());
}

Error linkBitcode(Module &module, StringRef bitcode) {
  if (bitcode.empty())
    return fault("no runtime for " + module.getTargetTriple());
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

/// Whether code generation may call a conversion of 16-bit floats by name.
bool usesHalf(const Module &module) {
  auto half = [](const Value *value) {
    Type *type = value->getType()->getScalarType();
    return type->isHalfTy() || type->isBFloatTy();
  };
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (half(&instruction) || any_of(instruction.operand_values(), half))
        return true;
  return false;
}

/// Nothing in the module refers to these until code generation does.
void keepConversions(Module &module, bool keep) {
  SmallVector<GlobalValue *> kept;
  for (StringRef name : {"__extendhfsf2", "__truncsfhf2", "__truncdfhf2",
                         "__truncsfbf2", "__truncdfbf2"})
    if (Function *function = module.getFunction(name)) {
      if (keep)
        kept.push_back(function);
      else
        function->eraseFromParent();
    }
  if (keep)
    appendToCompilerUsed(module, kept);
}

/// A model of several threads needs them; in others they are weak, so that a
/// program without threads can link it.
void requireThreads(Module &module) {
  for (Function &function : module)
    if (function.hasExternalWeakLinkage())
      function.setLinkage(GlobalValue::ExternalLinkage);
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

/// The model's code is for the model's processor. The runtime's stays generic:
/// its check of the processor must run on any.
void setModelAttributes(Module &module, TargetAttr target) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.getCpu());
    function.addFnAttr("target-features", target.getFeatures());
    if (target.getVectorBits() >= 512)
      function.addFnAttr("prefer-vector-width", "512");
  }
}

void setCommonAttributes(Module &module) {
  const Function *generic = module.getFunction("weir_model_run");
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (StringRef name : {"target-cpu", "target-features"})
      if (!function.hasFnAttribute(name))
        function.addFnAttr(name,
                           generic->getFnAttribute(name).getValueAsString());
    for (StringRef old :
         {"frame-pointer", "tune-cpu", "stack-protector-buffer-size",
          "min-legal-vector-width"})
      function.removeFnAttr(old);
    function.removeFnAttr(Attribute::UWTable);
    function.addFnAttr(Attribute::NoUnwind);
  }
}

} // namespace

/// The code of one instruction-set variant, for its processor.
static Expected<std::unique_ptr<Module>>
translateIsaVariant(mlir::ModuleOp source, LLVMContext &context,
                    const DataLayout &layout, StringRef prefix) {
  TargetAttr target = TargetAttr::of(source);
  auto kernels = takeSimulatedKernels(source);
  auto module = mlir::translateModuleToLLVMIR(source, context, "weir");
  if (!module)
    return fault("the module does not translate to LLVM IR");
  module->setTargetTriple(target.getTriple());
  module->setDataLayout(layout);
  module->setPICLevel(PICLevel::BigPIC);
  prefixDefinitions(*module, prefix);
  if (kernels)
    if (Error error = simulateKernels(*kernels, attrs::gpuKernels.of(source),
                                      prefix, *module))
      return std::move(error);
  setModelAttributes(*module, target);
  return std::move(module);
}

std::string isaVariantPrefix(size_t number) {
  return globals::prefix.str() + (number ? std::to_string(number) + "." : "");
}

Expected<NativeModule> buildNative(ArrayRef<mlir::ModuleOp> isaVariants,
                                   const ModelInterface &model,
                                   TableOptions options, unsigned optLevel,
                                   Extra extra) {
  initializeTargets();
  mlir::MLIRContext &mlirContext =
      *mlir::ModuleOp(isaVariants.front()).getContext();
  mlir::registerBuiltinDialectTranslation(mlirContext);
  mlir::registerLLVMDialectTranslation(mlirContext);

  // Functions say which processor they are for; the rest is the least one's.
  TargetAttr target = TargetAttr::of(isaVariants.back());
  auto machine = makeMachine(target, optLevel);
  if (!machine)
    return machine.takeError();
  NativeModule native;
  native.machine = std::move(*machine);
  native.optLevel = optLevel;
  native.makeMachine = [=] { return cantFail(makeMachine(target, optLevel)); };
  native.context = std::make_unique<LLVMContext>();
  for (auto [i, source] : enumerate(isaVariants)) {
    TargetAttr itsTarget = TargetAttr::of(source);
    IsaVariantOptions isaVariant = {
        isaVariantPrefix(i),
        requiredCpuBits(target.getTriple(), itsTarget.getFeatures()),
        attrs::profileTasks.of(source)};
    auto made = translateIsaVariant(source, *native.context,
                                    native.machine->createDataLayout(),
                                    isaVariant.symbols);
    if (!made)
      return made.takeError();
    options.isaVariants.push_back(std::move(isaVariant));
    if (!native.module)
      native.module = std::move(*made);
    else if (Linker::linkModules(*native.module, std::move(*made)))
      return fault("the levels do not link with each other");
  }
  Module &module = *native.module;
  bool half = usesHalf(module);
  StringRef arch =
      Triple::getArchTypeName(Triple(target.getTriple()).getArch());
  if (Error error = linkBitcode(module, runtimeBitcode(arch)))
    return std::move(error);
  if (model.gpu)
    if (Error error = linkBitcode(module, model.profile ? eventsBitcode(arch)
                                                        : cudaBitcode(arch)))
      return std::move(error);
  if (!model.variables.empty())
    if (Error error = linkBitcode(module, stateBitcode(arch)))
      return std::move(error);
  if (model.profile)
    if (Error error = linkBitcode(module, profileBitcode(arch)))
      return std::move(error);
  if (model.mesh)
    if (Error error = linkBitcode(module, meshBitcode(arch)))
      return std::move(error);
  if (model.mesh && model.mesh->savesTogether() && !model.variables.empty())
    if (Error error = linkBitcode(module, meshStateBitcode(arch)))
      return std::move(error);
  if (module.getNamedGlobal("weir_sim_kernels"))
    if (Error error = linkBitcode(module, simulatorBitcode()))
      return std::move(error);
  if (extra == Extra::Main)
    if (Error error = linkBitcode(module, runnerBitcode(arch)))
      return std::move(error);
  keepConversions(module, half);
  if (model.threads > 1)
    requireThreads(module);
  if (Error error = sizeContext(module, model, options))
    return std::move(error);
  native.contextBytes = options.contextBytes;
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
  if (model.gpu) {
    for (StringRef name : {"gpu", "wait"})
      visible.insert((model.prefix + "_" + name).str());
    if (model.plainRun)
      visible.insert(model.prefix + "_run_device");
    for (const FunctionInterface &function : model.functions)
      visible.insert(function.device);
  }
  for (const VariableInterface &variable : model.variables)
    visible.insert(variable.c);
  if (!model.variables.empty())
    for (StringRef name : {"_save", "_restore"})
      visible.insert(model.prefix + name.str());
  if (model.profile)
    visible.insert(model.prefix + "_profile");
  if (model.mesh)
    visible.insert(model.prefix + "_mesh");
  if (extra == Extra::Main) {
    visible.insert("main");
    if (Error error = addMain(module, model))
      return std::move(error);
  }
  hideAllBut(module, visible);
  setCommonAttributes(module);
  std::string broken;
  raw_string_ostream os(broken);
  if (verifyModule(module, &os))
    return fault("broken LLVM IR: " + broken);
  return std::move(native);
}

} // namespace weir
