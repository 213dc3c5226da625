// The ops of family Collective.

#ifndef WEIR_DIALECTS_GRAPH_COLLECTIVE_COLLECTIVE_H
#define WEIR_DIALECTS_GRAPH_COLLECTIVE_COLLECTIVE_H

#include "dialects/graph/Graph.h"

#include "dialects/graph/collective/CollectiveEnums.h.inc"

namespace weir::graph {

/// The axis of a mesh that divides the batch.
inline constexpr char dataAxis[] = "data";

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/collective/CollectiveOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_COLLECTIVE_COLLECTIVE_H
