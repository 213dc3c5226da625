// Blocks of space that become batches or channels, and back; patches.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_BLOCKS_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_BLOCKS_H

#include "compiler/import/tensorflow/shape/Moves.h"

namespace weir::tensorflow {

/// The sizes of a node's blocks of space: of the ND ops operand 1, of the old
/// ones an attribute for two dimensions.
mlir::FailureOr<Integers> blockSizes(Node &node);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_BLOCKS_H
