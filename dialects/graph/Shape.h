// The ops of family Shape.

#ifndef WEIR_DIALECTS_GRAPH_SHAPE_H
#define WEIR_DIALECTS_GRAPH_SHAPE_H

#include "dialects/graph/Graph.h"

#define GET_OP_CLASSES
#include "dialects/graph/ShapeOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_SHAPE_H
