// Passes of stage custom. What each does: Passes.td.

#ifndef WEIR_PASSES_CUSTOM_PASSES_H
#define WEIR_PASSES_CUSTOM_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/custom/Passes.h.inc"
} // namespace weir

#endif // WEIR_PASSES_CUSTOM_PASSES_H
