// Means along dimensions.

#ifndef WEIR_COMPILER_IMPORT_RULES_MEANS_H
#define WEIR_COMPILER_IMPORT_RULES_MEANS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// The mean along dimensions of operand 0, of the elements that there are;
/// which stay as 1 where `keep`.
mlir::LogicalResult giveMean(TracedNode &node, llvm::ArrayRef<int64_t> dims,
                             bool keep);
/// The sizes of what is left of operand 0.
Sizes leftOf(TracedNode &node, llvm::ArrayRef<int64_t> dims, bool keep);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_MEANS_H
