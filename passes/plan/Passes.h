// Passes of the stage plan; Passes.td describes each.

#ifndef WEIR_PASSES_PLAN_PASSES_H
#define WEIR_PASSES_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::plan {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/plan/Passes.h.inc"
} // namespace weir::plan

#endif // WEIR_PASSES_PLAN_PASSES_H
