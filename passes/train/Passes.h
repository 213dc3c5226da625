// Passes of the stage train; Passes.td describes each.

#ifndef WEIR_PASSES_TRAIN_PASSES_H
#define WEIR_PASSES_TRAIN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::train {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/train/Passes.h.inc"
} // namespace weir::train

#endif // WEIR_PASSES_TRAIN_PASSES_H
