// The files that a compilation reads, for -MD.

#ifndef WEIR_COMPILER_IMPORT_DEPENDENCIES_H
#define WEIR_COMPILER_IMPORT_DEPENDENCIES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace weir {

/// The process has read the file at `path`. Threads may call this at once.
void addDependency(llvm::StringRef path);

/// A rule in the syntax of make: `targets` depend on all files read so far, in
/// the order in which they were read.
std::string dependencyRule(llvm::ArrayRef<std::string> targets);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_DEPENDENCIES_H
