// What arithmetic of floats may do besides what IEEE 754 says.

#ifndef WEIR_COMPILER_TARGET_FASTMATH_H
#define WEIR_COMPILER_TARGET_FASTMATH_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace weir {

/// Makes MLIR's flags, with commas, of a list as --fast-math takes it. Gives
/// what is wrong with it, or nothing.
std::string parseFastMath(llvm::StringRef list, std::string &flags);

} // namespace weir

#endif // WEIR_COMPILER_TARGET_FASTMATH_H
