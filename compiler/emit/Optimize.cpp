// LLVM's own optimisations. Most of the time of a large model goes here, and
// kernels have nothing to do with each other: parts are optimised at once, each
// as a module in a context of its own, since contexts are for one thread.

#include "compiler/emit/Optimize.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

namespace weir {

/// The instructions of a part: a second's work or less.
static constexpr unsigned partInstructions = 8192;

/// No loop of more instructions is unrolled, at LLVM's thresholds: what that
/// would cost takes a third of all time to find out.
static constexpr unsigned maxUnrolled = 600;

namespace {
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
} // namespace

static void runPipeline(Module &module, TargetMachine &machine,
                        unsigned optLevel) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager calls;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = tuning.LoopInterleaving = optLevel > 0;
  tuning.LoopVectorization = tuning.SLPVectorization = optLevel > 1;
  PassBuilder passes(&machine, tuning);
  passes.registerLateLoopOptimizationsEPCallback(
      [](LoopPassManager &loops, OptimizationLevel) {
        loops.addPass(KeepLargeLoops());
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

/// Leaves in `module` one part: of the others only what it is called.
static Error keepPart(Module &module, const StringMap<unsigned> &parts,
                      unsigned part) {
  if (part)
    for (GlobalAlias &alias : make_early_inc_range(module.aliases())) {
      alias.replaceAllUsesWith(alias.getAliasee());
      alias.eraseFromParent();
    }
  SmallVector<GlobalValue *> others;
  for (Function &function : module)
    if (!function.isDeclaration() && parts.lookup(function.getName()) != part) {
      function.deleteBody();
      others.push_back(&function);
    }
  for (GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && parts.lookup(variable.getName()) != part) {
      variable.setInitializer(nullptr);
      variable.setLinkage(GlobalValue::ExternalLinkage);
      others.push_back(&variable);
    }
  if (Error error = module.materializeAll())
    return error;
  for (GlobalValue *other : others) {
    other->removeDeadConstantUsers();
    if (other->use_empty())
      other->eraseFromParent();
  }
  return Error::success();
}

using Bitcode = SmallVector<char, 0>;

static Bitcode write(const Module &module) {
  Bitcode code;
  raw_svector_ostream os(code);
  WriteBitcodeToFile(module, os);
  return code;
}

static MemoryBufferRef read(const Bitcode &code) {
  return MemoryBufferRef(StringRef(code.data(), code.size()), "weir");
}

static Error optimizePart(const Bitcode &whole,
                          const StringMap<unsigned> &parts, unsigned part,
                          TargetMachine &machine, unsigned optLevel,
                          Bitcode &result) {
  LLVMContext context;
  auto module = getLazyBitcodeModule(read(whole), context);
  if (!module)
    return module.takeError();
  if (Error error = keepPart(**module, parts, part))
    return error;
  runPipeline(**module, machine, optLevel);
  result = write(**module);
  return Error::success();
}

Error optimize(NativeModule &native, unsigned optLevel,
               MakeMachine makeMachine) {
  unsigned instructions = native.module->getInstructionCount();
  if (!optLevel || instructions < 2 * partInstructions) {
    runPipeline(*native.module, *native.machine, optLevel);
    return Error::success();
  }
  unsigned count;
  StringMap<unsigned> parts =
      cutModule(*native.module, partInstructions, count);
  Bitcode whole = write(*native.module);
  std::vector<std::unique_ptr<TargetMachine>> machines;
  for (unsigned part = 0; part != count; ++part)
    machines.push_back(makeMachine());
  std::vector<Bitcode> results(count);
  std::vector<std::string> faults(count);
  DefaultThreadPool pool(hardware_concurrency());
  for (unsigned part = 0; part != count; ++part)
    pool.async([&, part] {
      if (Error error = optimizePart(whole, parts, part, *machines[part],
                                     optLevel, results[part]))
        faults[part] = toString(std::move(error));
    });
  pool.wait();
  native.module.reset();
  for (unsigned part = 0; part != count; ++part) {
    if (!faults[part].empty())
      return createStringError("a part of the code is broken: " + faults[part]);
    auto module = parseBitcodeFile(read(results[part]), *native.context);
    if (!module)
      return module.takeError();
    if (!part)
      native.module = std::move(*module);
    else if (Linker::linkModules(*native.module, std::move(*module)))
      return createStringError("the parts of the code do not link");
  }
  return Error::success();
}

} // namespace weir
