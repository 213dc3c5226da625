// The ops of family Packed.

#ifndef WEIR_DIALECTS_GRAPH_PACKED_PACKED_H
#define WEIR_DIALECTS_GRAPH_PACKED_PACKED_H

#include "dialects/graph/Graph.h"

#define GET_OP_CLASSES
#include "dialects/graph/packed/PackedOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_PACKED_PACKED_H
