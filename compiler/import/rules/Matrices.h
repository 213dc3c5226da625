// Operands of products of matrices.

#ifndef WEIR_COMPILER_IMPORT_RULES_MATRICES_H
#define WEIR_COMPILER_IMPORT_RULES_MATRICES_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// Places of operands 0 and 1 for a product of matrices, either transposed or
/// not, with nothing beyond the sizes along what they have in common; and the
/// sizes of the product.
mlir::FailureOr<Sizes>
alignMatrices(TracedNode &node, bool transposeX, bool transposeY,
              llvm::SmallVectorImpl<mlir::Value> &positions);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_MATRICES_H
