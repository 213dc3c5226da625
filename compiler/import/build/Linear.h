// Factors of square matrices, in the last two dimensions.

#ifndef WEIR_COMPILER_IMPORT_BUILD_LINEAR_H
#define WEIR_COMPILER_IMPORT_BUILD_LINEAR_H

#include "compiler/import/Build.h"

namespace weir {

/// What graph.lu gives.
struct Factors {
  Expr lu, permutation, sign;
};
/// Of square matrices of f32 or f64.
Factors factorsOf(Expr x);
/// The diagonals of square matrices.
Expr diagonalOf(Expr x);
/// The product of the pivots, with the sign of their permutation.
Expr determinantOf(Expr x);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_LINEAR_H
