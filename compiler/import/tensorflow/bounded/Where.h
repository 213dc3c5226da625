// Ops that choose rows by values: Where, and partitions and their inverse.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_BOUNDED_WHERE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_BOUNDED_WHERE_H

#include "compiler/import/tensorflow/bounded/Bounds.h"

namespace weir::tensorflow {

/// Rows of the data operands at the places that the index operands say, which
/// need not be known; of two rows for one place the last.
mlir::LogicalResult importBoundedDynamicStitch(Node &node);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_BOUNDED_WHERE_H
