// From the llvm dialect to the bytes of an object file.
#ifndef WEIR_COMPILER_EMIT_OBJECT_H
#define WEIR_COMPILER_EMIT_OBJECT_H

#include "compiler/emit/Interface.h"
#include "compiler/emit/Tables.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <array>
#include <functional>
#include <memory>

namespace weir {

class Progress;

/// A model as an LLVM module, with its runtime and its tables.
struct NativeModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::function<std::unique_ptr<llvm::TargetMachine>()> makeMachine; // another
  unsigned optLevel = 2;
  Progress *progress = nullptr;
  uint64_t contextBytes = 0; // what one context of the model takes
};

/// An extra piece of C linked into the module: the main of an executable.
enum class Extra { None, Main };

/// Adds a main that runs the model to a module that has the runner's code.
llvm::Error addMain(llvm::Module &module, const ModelInterface &model);

/// The symbols of an instruction-set variant begin with this.
std::string isaVariantPrefix(size_t number);

/// The modules are of one model, each for another kind of processor.
llvm::Expected<NativeModule>
buildNative(llvm::ArrayRef<mlir::ModuleOp> isaVariants,
            const ModelInterface &model, TableOptions options,
            unsigned optLevel, Extra extra);

/// Optimises the module as for its object. What was local may be so no more: it
/// has hidden visibility.
llvm::Error optimizeModule(NativeModule &native);

/// The bytes of its object file, whose own code is in local symbols but for the
/// public names. A module of many instructions is cut into parts, which threads
/// take; how it is cut depends on the module alone, so the bytes are the same
/// on any number of processors. Temporary files stand beside `path`.
llvm::Error compileObject(NativeModule &native, llvm::StringRef path,
                          llvm::SmallVectorImpl<char> &object);

/// An error names what the object leaves undefined that is neither libc's nor
/// libm's. Sets `needsMath` if something is libm's.
/// `custom` are functions of the user's.
llvm::Error checkUndefined(llvm::ArrayRef<char> object,
                           llvm::ArrayRef<std::string> custom, bool &needsMath);

/// The C code embedded in the compiler, as LLVM bitcode of that architecture.
llvm::StringRef runtimeBitcode(llvm::StringRef arch);
/// The same of the part that only products for a GPU have.
llvm::StringRef cudaBitcode(llvm::StringRef arch);
/// In its place in products of --profile.
llvm::StringRef eventsBitcode(llvm::StringRef arch);
/// The part of it that only models with variables need.
llvm::StringRef stateBitcode(llvm::StringRef arch);
/// The part of it that only products of --profile have.
llvm::StringRef profileBitcode(llvm::StringRef arch);
llvm::StringRef meshBitcode(llvm::StringRef arch);
/// The part of it that only products of --mesh with variables have.
llvm::StringRef meshStateBitcode(llvm::StringRef arch);
/// The simulator of a GPU, for x86-64.
llvm::StringRef simulatorBitcode();
/// The same of weir-run's code, where executables can be linked.
llvm::StringRef runnerBitcode(llvm::StringRef arch);
/// The text of runtime/weir.h.
llvm::StringRef runtimeHeader();
/// The text of runtime/cuda/info.h.
llvm::StringRef gpuHeader();
/// The text of runtime/profile/info.h.
llvm::StringRef profileHeader();
llvm::StringRef meshHeader();
/// The texts of runtime/weir_types.hpp and runtime/weir.hpp.
std::array<llvm::StringRef, 2> cppHeaders();

} // namespace weir

#endif
