// The largest or smallest elements along a dimension.

#ifndef WEIR_COMPILER_IMPORT_RULES_TOPS_H
#define WEIR_COMPILER_IMPORT_RULES_TOPS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// The first `count` elements of operand 0 in the order of the node's own
/// handler, along `axis`, and their indices. Operand 1 is the count, if it is
/// there. The order has `last` behind all other elements.
mlir::LogicalResult giveTop(TracedNode &node, int64_t axis, Expr last,
                            const Size &count);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_TOPS_H
