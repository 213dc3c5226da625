// Tensors in another shape of as many elements.

#ifndef WEIR_COMPILER_IMPORT_RULES_RESHAPES_H
#define WEIR_COMPILER_IMPORT_RULES_RESHAPES_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// Operand 0 in the shape that the scalars i64 `wanted` say; the one that is
/// negative is what the others leave.
mlir::LogicalResult giveReshaped(TracedNode &node,
                                 llvm::ArrayRef<mlir::Value> wanted);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_RESHAPES_H
