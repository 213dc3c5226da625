// Tensors between margins.

#ifndef WEIR_COMPILER_IMPORT_RULES_PADS_H
#define WEIR_COMPILER_IMPORT_RULES_PADS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// What lies around a tensor that is padded: a value, or the elements before
/// its edge mirrored without the edge or with it, the edge, or the other end.
enum class Edges { value, reflect, symmetric, nearest, wrap };
struct Margins {
  llvm::SmallVector<Expr> low, high;
  Edges edges = Edges::value;
  /// Whether negative ones cut; else a check refuses them.
  bool mayCut = false;
};
/// Operand 0 with margins, scalars i64.
mlir::LogicalResult givePadded(TracedNode &node, const Margins &margins,
                               Expr value);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_PADS_H
