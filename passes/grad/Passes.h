// Passes of the stage grad; Passes.td describes each.

#ifndef WEIR_PASSES_GRAD_PASSES_H
#define WEIR_PASSES_GRAD_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::grad {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/grad/Passes.h.inc"
} // namespace weir::grad

#endif // WEIR_PASSES_GRAD_PASSES_H
