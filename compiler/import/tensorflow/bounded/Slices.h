// Slices where begins, ends or sizes are known only at run time.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_BOUNDED_SLICES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_BOUNDED_SLICES_H

#include "compiler/import/tensorflow/bounded/Bounds.h"

namespace weir::tensorflow {

/// Also for begins known only at run time, which their own handlers leave.
mlir::LogicalResult importBoundedSlice(Node &node);
mlir::LogicalResult importBoundedStridedSlice(Node &node);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_BOUNDED_SLICES_H
