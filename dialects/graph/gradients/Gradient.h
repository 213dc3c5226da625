// The ops of family Gradient.

#ifndef WEIR_DIALECTS_GRAPH_GRADIENTS_GRADIENT_H
#define WEIR_DIALECTS_GRAPH_GRADIENTS_GRADIENT_H

#include "dialects/graph/Graph.h"

#define GET_OP_CLASSES
#include "dialects/graph/gradients/GradientOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_GRADIENTS_GRADIENT_H
