// Passes from linalg and kernels to the LLVM dialect; Passes.td describes each.

#ifndef WEIR_PASSES_CPU_PASSES_H
#define WEIR_PASSES_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::cpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/cpu/Passes.h.inc"
} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_PASSES_H
