// Tensors between margins.

#ifndef WEIR_COMPILER_IMPORT_RULES_PADS_H
#define WEIR_COMPILER_IMPORT_RULES_PADS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// The contents of the margins of a padded tensor. They are one value, a mirror
/// image of the tensor without its edge (`reflect`, `zigzag`) or with it
/// (`symmetric`), the edge (`nearest`), or the other end (`wrap`). `zigzag`
/// mirrors the tensor several times if the margins are wider. `reflect` and
/// `symmetric` refuse such margins.
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
