// What puts slices back: gradients, and tensors with a slice replaced.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_SLICEUPDATES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_SLICEUPDATES_H

#include "compiler/import/tensorflow/shape/Moves.h"

namespace weir::tensorflow {

mlir::LogicalResult importStridedSliceUpdate(Node &node);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_SLICEUPDATES_H
