// Passes from the graph dialect to itself; Passes.td describes each.

#ifndef WEIR_PASSES_GRAPH_PASSES_H
#define WEIR_PASSES_GRAPH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace weir {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"

/// Adds all passes of the stage, in order.
void addGraphPasses(mlir::OpPassManager &);

} // namespace weir

#endif // WEIR_PASSES_GRAPH_PASSES_H
