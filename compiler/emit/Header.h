// The C header of a model, and its optional C++ class.
#ifndef WEIR_COMPILER_EMIT_HEADER_H
#define WEIR_COMPILER_EMIT_HEADER_H

#include "compiler/emit/Interface.h"

#include "llvm/Support/raw_ostream.h"

namespace weir {

/// Self-contained: it repeats runtime/weir.h, once however many are included.
void writeHeader(llvm::raw_ostream &os, const ModelInterface &model,
                 llvm::StringRef weightsFile, uint64_t contextBytes,
                 llvm::StringRef cppClass);

/// The class alone, behind the C part.
void writeClass(llvm::raw_ostream &os, const ModelInterface &model,
                llvm::StringRef qualifiedName);

} // namespace weir

#endif
