// The ops of family Reduce, and how they combine elements.

#ifndef WEIR_DIALECTS_GRAPH_REDUCE_H
#define WEIR_DIALECTS_GRAPH_REDUCE_H

#include "dialects/graph/Graph.h"

namespace weir::graph {

enum class Reduction { sum, prod, max, min, and_, or_, logSumExp };

/// The type of accumulators for elements of `elementType`: f32 for f16 and
/// bf16, signless for integers.
mlir::Type accumulatorOf(mlir::Type elementType);
/// The neutral element of a reduction, in the accumulator's type.
mlir::TypedAttr identityOf(Reduction kind, mlir::Type elementType);
/// Combines an accumulator with one more element (of the signless type).
mlir::Value combine(Reduction kind, mlir::Type elementType, mlir::OpBuilder &b,
                    mlir::Location loc, mlir::Value accumulator,
                    mlir::Value element);
/// Converts an accumulator to an element.
mlir::Value finish(mlir::Type elementType, mlir::OpBuilder &b,
                   mlir::Location loc, mlir::Value accumulator);

} // namespace weir::graph

#define GET_OP_CLASSES
#include "dialects/graph/ReduceOps.h.inc"

#endif // WEIR_DIALECTS_GRAPH_REDUCE_H
