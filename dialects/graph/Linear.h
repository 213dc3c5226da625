// The ops of family Linear.

#ifndef WEIR_DIALECTS_GRAPH_LINEAR_H
#define WEIR_DIALECTS_GRAPH_LINEAR_H

#include "dialects/graph/Graph.h"

#define GET_OP_CLASSES
#include "dialects/graph/LinearOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_LINEAR_H
