// Numbers that follow each other by equal steps.

#ifndef WEIR_COMPILER_IMPORT_RULES_COUNTS_H
#define WEIR_COMPILER_IMPORT_RULES_COUNTS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// How many steps lead from `start` to `limit` or beyond it: a whole number of
/// their type. It is negative for a limit behind. `step` is not 0.
Expr stepsBetween(Expr start, Expr limit, Expr step);

/// Numbers from `start` on, before `limit`: scalars of one type. An error of
/// the run where there are fewer than none, unless that `mayBeNone`.
mlir::LogicalResult giveCounted(TracedNode &node, Expr start, Expr limit,
                                Expr step, bool mayBeNone = false);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_COUNTS_H
