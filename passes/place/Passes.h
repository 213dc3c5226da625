// Passes of the stage place; Passes.td describes each.

#ifndef WEIR_PASSES_PLACE_PASSES_H
#define WEIR_PASSES_PLACE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::place {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/place/Passes.h.inc"
} // namespace weir::place

#endif // WEIR_PASSES_PLACE_PASSES_H
