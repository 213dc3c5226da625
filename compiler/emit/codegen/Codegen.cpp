// LLVM's passes over one module, and its code generation.

#include "compiler/emit/codegen/FoldBroadcasts.h"
#include "compiler/emit/codegen/HalfComparisons.h"
#include "compiler/emit/codegen/MaskedStores.h"
#include "compiler/emit/codegen/Parts.h"
#include "compiler/target/Target.h"

#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/MachineScheduler.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

namespace weir {
namespace {

/// LLVM's default handler would exit at an error.
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

/// No loop of more instructions is unrolled, at LLVM's thresholds: what that
/// would cost takes a third of all time to find out. Kernels write out what
/// shall be straight; loops over channels become no faster ninefold.
constexpr unsigned maxUnrolled = 100;

struct KeepLargeLoops : PassInfoMixin<KeepLargeLoops> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &,
                        LoopStandardAnalysisResults &, LPMUpdater &) {
    size_t instructions = 0;
    for (BasicBlock *block : loop.blocks())
      instructions += block->size();
    if (instructions > maxUnrolled)
      loop.setLoopAlreadyUnrolled();
    return PreservedAnalyses::all();
  }
};

/// Code generation with LLVM's usual passes, but for the scheduler.
///
/// Kernels come in the order in which they are to run: a tile's sums fill the
/// registers, and each factor is loaded where it is used. LLVM's scheduler
/// moves the loads of a block to its begin, to hide latencies that out-of-order
/// processors hide themselves, and spills the sums to make room.
bool addCodegenPasses(legacy::PassManager &codegen, LLVMTargetMachine &machine,
                      CodeGenFileType type, raw_pwrite_stream &os) {
  TargetPassConfig *passes = machine.createPassConfig(codegen);
  passes->disablePass(&MachineSchedulerID);
  if (beginsTwoWideProducts(*machine.getMCSubtargetInfo()))
    addFoldBroadcasts(*passes);
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  codegen.add(passes);
  codegen.add(info);
  if (passes->addISelPasses())
    return false;
  passes->addMachinePasses();
  passes->setInitialized();
  if (machine.addAsmPrinter(codegen, os, nullptr, type,
                            info->getMMI().getContext()))
    return false;
  codegen.add(createFreeMachineFunctionPass());
  return true;
}

Error generate(Module &module, TargetMachine &machine, CodeGenFileType type,
               SmallVectorImpl<char> &result) {
  std::string errors;
  module.getContext().setDiagnosticHandler(
      std::make_unique<KeepErrors>(errors));
  raw_svector_ostream os(result);
  legacy::PassManager codegen;
  if (!addCodegenPasses(codegen, static_cast<LLVMTargetMachine &>(machine),
                        type, os))
    return createStringError("the target writes no such files");
  codegen.run(module);
  module.getContext().setDiagnosticHandler(nullptr);
  return errors.empty() ? Error::success() : createStringError(errors);
}

} // namespace

void optimize(Module &module, TargetMachine &machine, unsigned optLevel) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager calls;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = tuning.LoopInterleaving = optLevel > 0;
  tuning.LoopVectorization = tuning.SLPVectorization = optLevel > 1;
  PassInstrumentationCallbacks callbacks;
  TimeProfilingPassesHandler trace;
  if (timeTraceProfilerEnabled())
    trace.registerCallbacks(callbacks);
  PassBuilder passes(&machine, tuning, std::nullopt,
                     timeTraceProfilerEnabled() ? &callbacks : nullptr);
  passes.registerLateLoopOptimizationsEPCallback(
      [](LoopPassManager &loops, OptimizationLevel) {
        loops.addPass(KeepLargeLoops());
      });
  passes.registerOptimizerLastEPCallback([](ModulePassManager &module,
                                            OptimizationLevel) {
    module.addPass(createModuleToFunctionPassAdaptor(WidenHalfComparisons()));
    module.addPass(createModuleToFunctionPassAdaptor(NarrowMaskedStores()));
  });
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

Error generateObject(Module &module, TargetMachine &machine,
                     SmallVectorImpl<char> &object) {
  return generate(module, machine, CodeGenFileType::ObjectFile, object);
}

Error generateAssembly(Module &module, TargetMachine &machine,
                       SmallVectorImpl<char> &text) {
  machine.Options.MCOptions.AsmVerbose = true;
  return generate(module, machine, CodeGenFileType::AssemblyFile, text);
}

} // namespace weir
