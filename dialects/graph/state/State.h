// The ops of family State.

#ifndef WEIR_DIALECTS_GRAPH_STATE_STATE_H
#define WEIR_DIALECTS_GRAPH_STATE_STATE_H

#include "dialects/graph/Graph.h"

namespace weir::graph {

/// What reads and assignments of variables have effects on.
struct StateResource : mlir::SideEffects::Resource::Base<StateResource> {
  llvm::StringRef getName() final { return "state"; }
};

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/state/StateOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_STATE_STATE_H
