// The ops of family Index.

#ifndef WEIR_DIALECTS_GRAPH_INDEX_H
#define WEIR_DIALECTS_GRAPH_INDEX_H

#include "dialects/graph/Graph.h"

#include "dialects/graph/IndexEnums.h.inc"

#define GET_OP_CLASSES
#include "dialects/graph/IndexOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_INDEX_H
