// Ops that work element by element on operands that broadcast.

#ifndef WEIR_COMPILER_IMPORT_RULES_ELEMENTWISE_H
#define WEIR_COMPILER_IMPORT_RULES_ELEMENTWISE_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// Elementwise on operands that broadcast: the node's own handler runs on the
/// buffers, sliced to their common bounds. `fill` is the padding, if it is
/// given. Absent operands stay absent.
mlir::LogicalResult giveElementwise(TracedNode &node,
                                    std::optional<double> fill = std::nullopt);
/// Tensors that broadcast, in places of the bounds that they share, each with
/// its sizes of those that they have in common. Beyond the sizes lies `fill`,
/// where it is given.
mlir::FailureOr<Sizes> alignOperands(TracedNode &node,
                                     llvm::SmallVectorImpl<Traced> &operands,
                                     std::optional<double> fill = std::nullopt);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_ELEMENTWISE_H
