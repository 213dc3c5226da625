// Compiles the module of kernels to PTX.
//
// LLVM takes most of the compile time of a large model, and kernels are
// independent. So parts of the module are compiled in parallel. The division
// into parts does not depend on the number of processors, and neither does the
// PTX.

#include "dialects/weir/Attributes.h"
#include "passes/entry/Assembler.h"
#include "passes/entry/DeviceMath.h"
#include "passes/entry/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace weir::entry {
#define GEN_PASS_DEF_SERIALIZEKERNELS
#include "passes/entry/Passes.h.inc"

namespace {

constexpr StringLiteral triple = "nvptx64-nvidia-cuda";

/// LLVM's default handler would exit at an error.
struct KeepErrors : llvm::DiagnosticHandler {
  std::string &text;
  KeepErrors(std::string &text) : text(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    os << '\n';
    return true;
  }
};

void registerTarget() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

std::unique_ptr<llvm::TargetMachine> makeMachine(StringRef arch) {
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple.str(), error);
  if (!target)
    return nullptr;
  // The oldest version of PTX that supports the architecture.
  StringRef version = llvm::StringSwitch<StringRef>(arch)
                          .Case("sm_90a", "+ptx80")
                          .Cases("sm_89", "sm_90", "+ptx78")
                          .Default("+ptx70");
  // The aggressive level runs GVN twice more. On long unrolled bodies that
  // takes a quarter of LLVM's time and changes nothing.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch, version, llvm::TargetOptions(), std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Default));
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  machine.registerPassBuilderCallbacks(passes);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(calls);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, calls, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

/// Gives private symbols names that are unique among all parts.
void makeNamesOwn(llvm::Module &module, size_t part) {
  std::string suffix = "_part_" + std::to_string(part);
  for (llvm::GlobalValue &value : module.global_values())
    if (value.hasLocalLinkage())
      value.setName(value.getName() + suffix);
}

/// The PTX without the header that each file begins with.
StringRef withoutHeader(StringRef text) {
  StringRef last = ".address_size";
  size_t at = text.find(last);
  return at == StringRef::npos ? text : text.drop_front(text.find('\n', at));
}

struct SerializeKernels : impl::SerializeKernelsBase<SerializeKernels> {
  using SerializeKernelsBase::SerializeKernelsBase;

  void runOnOperation() override {
    auto device = getOperation().lookupSymbol<ModuleOp>("weir_gpu_kernels");
    GpuAttr gpu = attrs::gpu.of(getOperation());
    if (!device || !gpu || gpu.getArchs().empty() || gpu.isSimulated())
      return;
    StringRef arch = gpu.firstArch();
    std::string text;
    if (failed(writeParts(device, arch, text)))
      return signalPassFailure();
    SmallVector<GpuImageAttr> images = {image("ptx", arch, text)};
    std::optional<std::string> assembler;
    if (gpu.getCubins())
      assembler = findAssembler();
    for (auto target : gpu.getArchs().getAsRange<StringAttr>()) {
      std::string code, problem;
      if (!assembler)
        break;
      if (assemble(*assembler, text, target, code, problem))
        images.push_back(image("cubin", target, code));
      else
        device.emitWarning("no code for ")
            << target << " beside the PTX: " << problem;
    }
    attrs::gpuImages.set(getOperation(), ArrayRef(images));
    device.erase();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

private:
  /// The image of an architecture such as sm_80 or sm_90a.
  GpuImageAttr image(StringRef kind, StringRef arch, StringRef data) {
    bool isSpecific = arch.consume_back("a");
    int64_t number = 0;
    arch.drop_front(StringRef("sm_").size()).getAsInteger(10, number);
    return GpuImageAttr::get(&getContext(), kind, number, isSpecific, data);
  }

  /// Moves kernels into modules of at least `opsOfPart` ops, each with copies
  /// of the functions that they call. Empty if one module suffices.
  SmallVector<OwningOpRef<ModuleOp>> takeParts(ModuleOp device) {
    SymbolTable symbols(device);
    SmallVector<SmallVector<Operation *>> kernels;
    int64_t count = opsOfPart;
    for (auto function : device.getOps<LLVM::LLVMFuncOp>()) {
      if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
        continue;
      if (count >= opsOfPart) {
        kernels.emplace_back();
        count = 0;
      }
      kernels.back().push_back(function);
      function.walk([&](Operation *) { ++count; });
    }
    SmallVector<OwningOpRef<ModuleOp>> parts;
    if (kernels.size() < 2)
      return parts;
    for (ArrayRef<Operation *> own : kernels) {
      OwningOpRef<ModuleOp> part = ModuleOp::create(device.getLoc());
      part.get()->setAttrs(device->getAttrDictionary());
      OpBuilder b = OpBuilder::atBlockEnd(part->getBody());
      llvm::SmallDenseSet<Operation *> copied;
      SmallVector<Operation *> open(own);
      while (!open.empty()) {
        Operation *user = open.pop_back_val();
        std::optional<SymbolTable::UseRange> uses =
            SymbolTable::getSymbolUses(user);
        if (!uses)
          continue;
        for (const SymbolTable::SymbolUse &use : *uses) {
          Operation *found =
              symbols.lookup(use.getSymbolRef().getRootReference());
          if (!found || !copied.insert(found).second)
            continue;
          b.clone(*found);
          open.push_back(found);
        }
      }
      for (Operation *kernel : own) {
        kernel->remove();
        b.insert(kernel);
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

  LogicalResult writeParts(ModuleOp device, StringRef arch, std::string &text) {
    registerTarget();
    SmallVector<OwningOpRef<ModuleOp>> parts = takeParts(device);
    if (parts.empty())
      return writePtx(device, 0, arch, text);
    SmallVector<std::string> texts(parts.size());
    if (failed(failableParallelForEachN(
            &getContext(), 0, parts.size(),
            [&](size_t i) { return writePtx(*parts[i], i, arch, texts[i]); })))
      return failure();
    text = texts.front();
    for (StringRef more : ArrayRef(texts).drop_front())
      text += withoutHeader(more);
    return success();
  }

  static LogicalResult writePtx(ModuleOp device, size_t part, StringRef arch,
                                std::string &text) {
    std::unique_ptr<llvm::TargetMachine> machine = makeMachine(arch);
    if (!machine)
      return device.emitError("this build of LLVM writes no PTX");
    llvm::LLVMContext context;
    auto module = translateModuleToLLVMIR(device, context, "weir");
    if (!module)
      return failure();
    module->setTargetTriple(triple);
    module->setDataLayout(machine->createDataLayout());
    if (!linkDeviceMath(*module))
      return device.emitError("the functions of devices do not link");
    if (part > 0)
      makeNamesOwn(*module, part);
    for (llvm::Function &function : *module) {
      function.addFnAttr("target-cpu", arch);
      if (function.isDeclaration() && !function.isIntrinsic())
        return device.emitError("kernels call '")
               << function.getName() << "', which a GPU does not have";
      // The threads of a warp execute inline PTX together. It must not move
      // into a branch, and must not be duplicated.
      for (llvm::Instruction &instruction : llvm::instructions(function))
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
          if (call->isInlineAsm())
            call->setConvergent();
    }
    std::string errors;
    context.setDiagnosticHandler(std::make_unique<KeepErrors>(errors));
    optimize(*module, *machine);
    llvm::SmallString<0> buffer;
    llvm::raw_svector_ostream os(buffer);
    llvm::legacy::PassManager codegen;
    if (machine->addPassesToEmitFile(codegen, os, nullptr,
                                     llvm::CodeGenFileType::AssemblyFile))
      return device.emitError("this build of LLVM writes no PTX");
    codegen.run(*module);
    if (!errors.empty())
      return device.emitError(errors);
    text = buffer.str();
    return success();
  }
};

} // namespace
} // namespace weir::entry
