// Functions of libm in kernels.

#ifndef WEIR_PASSES_ENTRY_DEVICEMATH_H
#define WEIR_PASSES_ENTRY_DEVICEMATH_H

#include "llvm/IR/Module.h"

namespace weir {

/// Replaces calls of functions of libm, LLVM's intrinsics for them and
/// remainders of floats by functions of runtime/device, which are linked in.
/// False where these do not link.
bool linkDeviceMath(llvm::Module &module);

} // namespace weir

#endif // WEIR_PASSES_ENTRY_DEVICEMATH_H
