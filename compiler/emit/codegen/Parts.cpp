// Most of the time that a large model takes goes to LLVM, and kernels have
// nothing to do with each other: parts of the module are optimised at once,
// each as a module in a context of its own, since contexts are for one thread.

#include "compiler/emit/codegen/Parts.h"
#include "compiler/emit/Library.h"
#include "compiler/report/TimeTrace.h"
#include "compiler/terminal/Progress.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/TimeProfiler.h"

using namespace llvm;

namespace weir {
namespace {

/// The instructions of a part: a second's work or less.
constexpr unsigned partInstructions = 8192;

using Bytes = SmallVector<char, 0>;
/// Takes an optimised part, on any thread.
using Finish = function_ref<Error(Module &, TargetMachine &, Bytes &result)>;

/// Leaves in `module` one part: of the others only what it is called.
Error keepPart(Module &module, const StringMap<unsigned> &parts,
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

Bytes write(const Module &module) {
  Bytes code;
  raw_svector_ostream os(code);
  WriteBitcodeToFile(module, os);
  return code;
}

MemoryBufferRef view(const Bytes &bytes) {
  return MemoryBufferRef(StringRef(bytes.data(), bytes.size()), "weir");
}

unsigned countKernels(const Module &module) {
  return count_if(module, [](const Function &function) {
    return !function.isDeclaration() && function.getName().contains("kernel_");
  });
}

Error makePart(const Bytes &whole, const StringMap<unsigned> &parts,
               unsigned part, TargetMachine &machine, NativeModule &native,
               Finish finish, Bytes &result) {
  LLVMContext context;
  auto module = getLazyBitcodeModule(view(whole), context);
  if (!module)
    return module.takeError();
  if (Error error = keepPart(**module, parts, part))
    return error;
  unsigned kernels = countKernels(**module);
  optimize(**module, machine, native.optLevel);
  Error error = finish(**module, machine, result);
  if (native.progress)
    native.progress->addKernels(kernels);
  return error;
}

/// What `finish` makes of each part, in their order.
Error makeParts(NativeModule &native, Finish finish,
                std::vector<Bytes> &results) {
  unsigned count;
  if (native.progress)
    native.progress->setKernels(countKernels(*native.module));
  StringMap<unsigned> parts =
      cutModule(*native.module, partInstructions, count);
  Bytes whole = write(*native.module);
  std::vector<std::unique_ptr<TargetMachine>> machines;
  for (unsigned part = 0; part != count; ++part)
    machines.push_back(native.makeMachine());
  results.resize(count);
  std::vector<std::string> faults(count);
  bool isTraced = timeTraceProfilerEnabled();
  DefaultThreadPool pool(hardware_concurrency());
  for (unsigned part = 0; part != count; ++part)
    pool.async([&, part] {
      ThreadTrace trace(isTraced);
      TimeTraceScope scope("part of the code", std::to_string(part));
      if (Error error = makePart(whole, parts, part, *machines[part], native,
                                 finish, results[part]))
        faults[part] = toString(std::move(error));
    });
  pool.wait();
  for (const std::string &fault : faults)
    if (!fault.empty())
      return createStringError(fault);
  return Error::success();
}

bool isLarge(const NativeModule &native) {
  return native.optLevel &&
         native.module->getInstructionCount() >= 2 * partInstructions;
}

} // namespace

Error optimizeModule(NativeModule &native) {
  if (!isLarge(native)) {
    optimize(*native.module, *native.machine, native.optLevel);
    return Error::success();
  }
  std::vector<Bytes> parts;
  if (Error error = makeParts(
          native,
          [](Module &module, TargetMachine &, Bytes &result) {
            result = write(module);
            return Error::success();
          },
          parts))
    return error;
  native.module.reset();
  for (const Bytes &part : parts) {
    auto module = parseBitcodeFile(view(part), *native.context);
    if (!module)
      return module.takeError();
    if (!native.module)
      native.module = std::move(*module);
    else if (Linker::linkModules(*native.module, std::move(*module)))
      return createStringError("the parts of the code do not link");
  }
  return Error::success();
}

Error compileObject(NativeModule &native, StringRef path,
                    SmallVectorImpl<char> &object) {
  if (!isLarge(native)) {
    optimize(*native.module, *native.machine, native.optLevel);
    return generateObject(*native.module, *native.machine, object);
  }
  std::vector<Bytes> parts;
  if (Error error = makeParts(native, generateObject, parts))
    return error;
  return joinObjects(parts, path, object);
}

} // namespace weir
