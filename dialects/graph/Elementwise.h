// The ops of family Elementwise.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE_H
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE_H

#include "dialects/graph/Graph.h"

#define GET_OP_CLASSES
#include "dialects/graph/ElementwiseOps.h.inc"

#define GET_OP_CLASSES
#include "dialects/graph/elementwise/LogicOps.h.inc"

#define GET_OP_CLASSES
#include "dialects/graph/elementwise/MathOps.h.inc"

#define GET_OP_CLASSES
#include "dialects/graph/elementwise/SpecialOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE_H
