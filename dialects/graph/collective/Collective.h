// The ops of family Collective.

#ifndef WEIR_DIALECTS_GRAPH_COLLECTIVE_COLLECTIVE_H
#define WEIR_DIALECTS_GRAPH_COLLECTIVE_COLLECTIVE_H

#include "dialects/graph/Graph.h"

#include "dialects/graph/collective/CollectiveEnums.h.inc"

namespace weir::graph {

/// What messages between roles have effects on.
struct MessageResource : mlir::SideEffects::Resource::Base<MessageResource> {
  llvm::StringRef getName() final { return "messages"; }
};

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/collective/CollectiveOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_COLLECTIVE_COLLECTIVE_H
