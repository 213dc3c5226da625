// Tensors between margins.

#ifndef WEIR_COMPILER_IMPORT_RULES_PADS_H
#define WEIR_COMPILER_IMPORT_RULES_PADS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// The margins of a padded tensor: a value, the elements before its edge
/// mirrored without the edge or with it, the edge, or the other end. Margins
/// that are wider than the tensor mirror it several times by `zigzag`.
enum class Edges { value, reflect, zigzag, symmetric, nearest, wrap };
/// The positions in a dimension of `size` elements of the elements of a wider
/// one. `at` counts from the first element of the dimension.
Expr positionWithin(Expr at, Expr size, Edges edges);

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
