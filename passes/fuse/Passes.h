// Passes of the stage fuse; Passes.td describes each.

#ifndef WEIR_PASSES_FUSE_PASSES_H
#define WEIR_PASSES_FUSE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::fuse {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/fuse/Passes.h.inc"
} // namespace weir::fuse

#endif // WEIR_PASSES_FUSE_PASSES_H
