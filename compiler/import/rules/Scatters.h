// Tensors with slices replaced, or combined with updates.

#ifndef WEIR_COMPILER_IMPORT_RULES_SCATTERS_H
#define WEIR_COMPILER_IMPORT_RULES_SCATTERS_H

#include "compiler/import/bounded/Sizes.h"
#include "dialects/graph/Index.h"

namespace weir {

/// `x` with `updates` at the vectors in the last dimension of `indices`, which
/// are checked.
mlir::LogicalResult giveScattered(TracedNode &node, const Traced &x,
                                  Traced indices, Traced updates,
                                  graph::Combiner combiner);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_SCATTERS_H
