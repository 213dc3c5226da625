// Checks that a node makes no NaN and no infinity from finite numbers.

#ifndef WEIR_COMPILER_IMPORT_DEBUG_NUMBERCHECKS_H
#define WEIR_COMPILER_IMPORT_DEBUG_NUMBERCHECKS_H

#include "compiler/import/debug/Instruments.h"

namespace weir {

/// Adds a check for each result of floats, behind the node. A node without an
/// operand of floats has none: it may give an infinity on purpose. `name` is
/// what messages call the node.
void checkNumbers(TracedNode &node, llvm::StringRef name,
                  llvm::ArrayRef<NodeResult> results);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_DEBUG_NUMBERCHECKS_H
