// Scatters into tensors. Those of reference variables come with the variable's
// value as first operand; their result is the value after.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_SCATTERS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_SCATTERS_H

#include "compiler/import/tensorflow/shape/Moves.h"

namespace weir::tensorflow {

/// Handlers that those of variables share: of tensors, and of the values that
/// variables have.
mlir::LogicalResult importScatter(Node &node);
mlir::LogicalResult importTensorScatter(Node &node);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_SCATTERS_H
