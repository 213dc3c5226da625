// LLVM's own optimisations of a module, in parts at once where it is large.
#ifndef WEIR_COMPILER_EMIT_OPTIMIZE_H
#define WEIR_COMPILER_EMIT_OPTIMIZE_H

#include "compiler/emit/Object.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace weir {

/// Makes a code generator like that of the whole module.
using MakeMachine = llvm::function_ref<std::unique_ptr<llvm::TargetMachine>()>;

/// Optimises `native.module` at a level from 0 to 3. A module of many
/// instructions is cut into parts, which threads take; how it is cut depends on
/// the module alone, so the result is the same on any number of processors.
/// Functions that were local may be so no more: they have hidden visibility.
llvm::Error optimize(NativeModule &native, unsigned optLevel,
                     MakeMachine makeMachine);

/// Gives each local function and variable of `module` that another part needs
/// hidden visibility, and tells the part of all: by name, those that are in
/// none but the first are left out. Parts are of `size` instructions or more;
/// the first has whatever is small, and a function that is only there to call
/// another is in its part.
llvm::StringMap<unsigned> cutModule(llvm::Module &module, unsigned size,
                                    unsigned &count);

} // namespace weir

#endif
