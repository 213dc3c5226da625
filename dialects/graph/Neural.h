// The ops of family Neural.

#ifndef WEIR_DIALECTS_GRAPH_NEURAL_H
#define WEIR_DIALECTS_GRAPH_NEURAL_H

#include "dialects/graph/Graph.h"

#define GET_OP_CLASSES
#include "dialects/graph/NeuralOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_NEURAL_H
