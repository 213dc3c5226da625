// Passes of the stage shard; Passes.td describes each.

#ifndef WEIR_PASSES_SHARD_PASSES_H
#define WEIR_PASSES_SHARD_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir::shard {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/shard/Passes.h.inc"
} // namespace weir::shard

#endif // WEIR_PASSES_SHARD_PASSES_H
