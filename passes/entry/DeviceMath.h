// Links math functions into kernels.

#ifndef WEIR_PASSES_ENTRY_DEVICEMATH_H
#define WEIR_PASSES_ENTRY_DEVICEMATH_H

#include "llvm/IR/Module.h"

namespace weir::entry {

/// Replaces calls of libm, LLVM's intrinsics for them and remainders of floats
/// by functions of runtime/device, and links these in. Returns whether linking
/// succeeded.
bool linkDeviceMath(llvm::Module &module);

} // namespace weir::entry

#endif // WEIR_PASSES_ENTRY_DEVICEMATH_H
