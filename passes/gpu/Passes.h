// Passes from linalg and kernels to launches on a GPU; Passes.td describes
// each.

#ifndef WEIR_PASSES_GPU_PASSES_H
#define WEIR_PASSES_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::gpu {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/gpu/Passes.h.inc"
} // namespace weir::gpu

#endif // WEIR_PASSES_GPU_PASSES_H
