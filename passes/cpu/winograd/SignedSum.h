// Signed sums of vectors, the steps of Winograd transforms.

#ifndef WEIR_PASSES_CPU_WINOGRAD_SIGNEDSUM_H
#define WEIR_PASSES_CPU_WINOGRAD_SIGNEDSUM_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

/// The sum of the terms with their signs, of which at least one is not 0. Terms
/// of equal class are added first.
mlir::Value signedSum(Emitter &e, llvm::ArrayRef<int> signs,
                      llvm::ArrayRef<int> classes,
                      llvm::function_ref<mlir::Value(int64_t)> term);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_WINOGRAD_SIGNEDSUM_H
