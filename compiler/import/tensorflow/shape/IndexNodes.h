// Gathers, one-hot vectors, and the ops of constants whose results' shapes
// depend on values.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_INDEXNODES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_INDEXNODES_H

#include "compiler/import/tensorflow/shape/Moves.h"

namespace weir::tensorflow {

mlir::LogicalResult importGather(Node &node);
mlir::LogicalResult importGatherNd(Node &node);

/// An error where the operands of a Unique are not those of one vector.
mlir::LogicalResult wantUniqueOperands(Node &node);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_INDEXNODES_H
