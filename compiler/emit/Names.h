// Foreign names made harmless: identifiers, comments and string literals of C.
#ifndef WEIR_COMPILER_EMIT_NAMES_H
#define WEIR_COMPILER_EMIT_NAMES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace weir {

/// Letters, digits and `_` of the text, never empty, never a keyword of C or
/// C++ or a likely macro, never reserved.
std::string cIdentifier(llvm::StringRef text);

/// The same in capitals, as for macros.
std::string cMacro(llvm::StringRef text);

/// Names, and the number from which to look for one like it that is free.
using TakenNames = llvm::StringMap<unsigned>;

/// The name itself, or with the first of _2, _3, ... that is not taken.
std::string unique(std::string name, TakenNames &taken);

/// Printable ASCII only, without what could end a comment or continue a line.
std::string forComment(llvm::StringRef text);

} // namespace weir

#endif
