// Checks that results have the sizes that the model declares.

#ifndef WEIR_COMPILER_IMPORT_DEBUG_SHAPECHECKS_H
#define WEIR_COMPILER_IMPORT_DEBUG_SHAPECHECKS_H

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/debug/Instruments.h"

namespace weir {

/// The sizes of the dimensions that the model names, in one entry.
using NamedSizes = std::map<std::string, Size>;

/// Adds a check for each size of a result that the model declares and that may
/// differ, behind the node. The first size of a name is the one that later ones
/// must equal. `name` is what messages call the node.
void checkShapes(TracedNode &node, llvm::StringRef name,
                 llvm::ArrayRef<NodeResult> results, NamedSizes &named);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_DEBUG_SHAPECHECKS_H
