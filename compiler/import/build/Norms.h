// Norms of vectors.

#ifndef WEIR_COMPILER_IMPORT_BUILD_NORMS_H
#define WEIR_COMPILER_IMPORT_BUILD_NORMS_H

#include "compiler/import/Build.h"

namespace weir {

/// The root of order `p` of sums of magnitudes to the power `p`: a norm. At the
/// zero vector, where a norm has a corner, its derivative is 0, not the product
/// of infinity, the root's, and 0.
Expr rootOfPowers(Expr sums, double p);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_NORMS_H
