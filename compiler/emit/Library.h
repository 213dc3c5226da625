// Libraries and executables from an object file.
#ifndef WEIR_COMPILER_EMIT_LIBRARY_H
#define WEIR_COMPILER_EMIT_LIBRARY_H

#include "compiler/emit/Emit.h"
#include "compiler/emit/Output.h"

namespace weir {

/// One object of several, with the hidden symbols among them local. Temporary
/// files stand beside `path`.
llvm::Error joinObjects(llvm::ArrayRef<llvm::SmallVector<char, 0>> parts,
                        llvm::StringRef path,
                        llvm::SmallVectorImpl<char> &object);

/// An archive of that one object, with a symbol table, the same bytes each
/// time.
llvm::Error writeArchive(OutputFile &to, llvm::StringRef object,
                         llvm::StringRef memberName);

/// Has lld write `output` by these arguments; `path` is the file to blame.
llvm::Error runLinker(llvm::SmallVector<std::string> arguments,
                      const OutputFile &output, llvm::StringRef path);

/// A hardened shared library that exports only what the object shows, and what
/// the user's objects beside it do, which the library itself calls.
llvm::Error linkShared(OutputFile &to, llvm::StringRef object,
                       llvm::ArrayRef<std::string> others,
                       llvm::StringRef triple, bool needsMath);

/// A program, linked by the system's compiler driver.
llvm::Error linkExecutable(OutputFile &to, llvm::StringRef object,
                           llvm::ArrayRef<std::string> others);

} // namespace weir

#endif
