// The ops of family Shape.

#ifndef WEIR_DIALECTS_GRAPH_SHAPE_H
#define WEIR_DIALECTS_GRAPH_SHAPE_H

#include "dialects/graph/Graph.h"

#define GET_OP_CLASSES
#include "dialects/graph/ShapeOps.h.inc"

namespace weir::graph {

/// The operand of the reshapes that compute `value`, or `value` itself.
inline mlir::Value unshaped(mlir::Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return value;
}

} // namespace weir::graph

#endif // WEIR_DIALECTS_GRAPH_SHAPE_H
