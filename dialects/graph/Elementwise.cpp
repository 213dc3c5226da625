// What the ops of family Elementwise check, infer and fold.

#include "dialects/graph/Elementwise.h"

using namespace mlir;
using namespace weir::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ElementwiseOps.cpp.inc"
