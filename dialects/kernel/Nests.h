// What the stages of machines ask of loop nests on memory.

#ifndef WEIR_DIALECTS_KERNEL_NESTS_H
#define WEIR_DIALECTS_KERNEL_NESTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace weir::kernel {

/// Whether dimension `d` is parallel, and each result has other elements for
/// other values of it.
bool separates(mlir::linalg::LinalgOp op, unsigned d);

} // namespace weir::kernel

#endif // WEIR_DIALECTS_KERNEL_NESTS_H
