// Adds the cost of memory to the costs of loops that all stages know.

#ifndef WEIR_PASSES_CPU_SHARING_H
#define WEIR_PASSES_CPU_SHARING_H

#include "dialects/kernel/Sharing.h"

namespace weir {

/// Nanoseconds of the loops of an op on buffers.
double nanoseconds(mlir::linalg::LinalgOp op);

} // namespace weir

#endif // WEIR_PASSES_CPU_SHARING_H
