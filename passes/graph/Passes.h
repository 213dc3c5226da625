// Passes from the graph dialect to itself. What each does: Passes.td.

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

/// The stage: all its passes in their order.
void addGraphPasses(mlir::OpPassManager &);

} // namespace weir

#endif // WEIR_PASSES_GRAPH_PASSES_H
