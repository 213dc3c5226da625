// The ops of family Reduce.

#ifndef WEIR_DIALECTS_GRAPH_REDUCE_H
#define WEIR_DIALECTS_GRAPH_REDUCE_H

#include "dialects/graph/Graph.h"

#define GET_OP_CLASSES
#include "dialects/graph/ReduceOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_REDUCE_H
