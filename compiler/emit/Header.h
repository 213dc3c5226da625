// The header of a model: C, with an optional C++ class, or C++17.
#ifndef WEIR_COMPILER_EMIT_HEADER_H
#define WEIR_COMPILER_EMIT_HEADER_H

#include "compiler/emit/Interface.h"

#include "llvm/Support/raw_ostream.h"

namespace weir {

/// Self-contained: it repeats runtime/weir.h, once however many are included.
/// With `isCpp` the C++17 interface follows the C part.
void writeHeader(llvm::raw_ostream &os, const ModelInterface &model,
                 llvm::StringRef weightsFile, uint64_t contextBytes,
                 llvm::StringRef cppClass, bool isCpp);

/// Whether the header of this name is C++17's: .hpp, .hh or .hxx.
bool isCppHeader(llvm::StringRef path);

/// The name of a class and its namespaces, as C++ can have them. Where the
/// headers use the name themselves, that of a class ends in `_class`, and that
/// of a namespace in `_`.
struct QualifiedName {
  std::vector<std::string> spaces;
  std::string name;
};
QualifiedName qualified(llvm::StringRef text);

/// The class with tfcompile's names alone, behind the C part.
void writeClass(llvm::raw_ostream &os, const ModelInterface &model,
                llvm::StringRef qualifiedName);
/// runtime/weir.hpp and the class that derives from its model, which is called
/// <prefix>::model where no name is given.
void writeCppInterface(llvm::raw_ostream &os, const ModelInterface &model,
                       llvm::StringRef qualifiedName);

} // namespace weir

#endif
