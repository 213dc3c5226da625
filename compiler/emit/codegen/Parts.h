// The code of a model, from LLVM IR as it comes from the passes: optimised, and
// made an object. Both in parts at once where the module is large.
#ifndef WEIR_COMPILER_EMIT_CODEGEN_PARTS_H
#define WEIR_COMPILER_EMIT_CODEGEN_PARTS_H

#include "compiler/emit/Object.h"

#include "llvm/ADT/StringMap.h"

namespace weir {

/// Gives each local function and variable of `module` that another part needs
/// hidden visibility, and tells the part of all: by name, those that are in
/// none but the first are left out. Parts are of `size` instructions or more;
/// the first has whatever is small, and a function that is only there to call
/// another is in its part. How a module is cut depends on the module alone.
llvm::StringMap<unsigned> cutModule(llvm::Module &module, unsigned size,
                                    unsigned &count);

/// LLVM's own optimisations, at a level from 0 to 3.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              unsigned optLevel);

/// The object of an optimised module.
llvm::Error generateObject(llvm::Module &module, llvm::TargetMachine &machine,
                           llvm::SmallVectorImpl<char> &object);

/// Its assembly, with comments on blocks, loops and spills.
llvm::Error generateAssembly(llvm::Module &module, llvm::TargetMachine &machine,
                             llvm::SmallVectorImpl<char> &text);

} // namespace weir

#endif
