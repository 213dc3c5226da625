// Inverses of the error function and of the normal distribution.

#ifndef WEIR_COMPILER_IMPORT_BUILD_QUANTILE_H
#define WEIR_COMPILER_IMPORT_BUILD_QUANTILE_H

#include "compiler/import/Build.h"

namespace weir {

/// The sum of coefficients times powers of x, the first times 1.
Expr polynomial(Expr x, llvm::ArrayRef<double> coefficients);
/// The y with erf(y) = x, of f64.
Expr errorInverse(Expr x);
/// The place below which a share x of the normal distribution lies, of f64.
Expr normalQuantile(Expr x);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_QUANTILE_H
