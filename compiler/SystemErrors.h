// Errors of the system, as the tools exit with them.
#ifndef WEIR_COMPILER_SYSTEMERRORS_H
#define WEIR_COMPILER_SYSTEMERRORS_H

#include "compiler/Diagnostics.h"

#include <system_error>

namespace weir {

/// 75 where memory or processes cannot be had, or else 74.
Status systemStatus(std::error_code code);

/// Whether there is no such file, as opposed to one that cannot be reached.
bool isAbsent(std::error_code code);

/// What the system refused, by the words of a linker or a loader, which give no
/// number: one of their lines is or ends as the system's message. None where
/// nothing is found.
std::error_code systemErrorIn(llvm::StringRef words);

} // namespace weir

#endif // WEIR_COMPILER_SYSTEMERRORS_H
