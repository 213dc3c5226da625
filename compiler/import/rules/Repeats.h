// Tensors repeated along dimensions, or broadcast.

#ifndef WEIR_COMPILER_IMPORT_RULES_REPEATS_H
#define WEIR_COMPILER_IMPORT_RULES_REPEATS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// Operand 0 repeated along each dimension, as often as the scalars i64 say.
mlir::LogicalResult giveTiled(TracedNode &node,
                              llvm::ArrayRef<mlir::Value> multiples);
/// Operand 0 broadcast to the sizes, which are no fewer than it has.
mlir::LogicalResult giveBroadcast(TracedNode &node, llvm::ArrayRef<Size> sizes);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_REPEATS_H
