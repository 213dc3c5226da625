// XLA's ops that move elements, order them, or only say something of a tensor.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_MOVENODES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_MOVENODES_H

#include "compiler/import/tensorflow/xla/Xla.h"

namespace weir::tensorflow {

/// `x` with what `value`, a scalar, is before, after and between its elements;
/// negative margins cut.
Expr padWith(Expr x, Expr value, llvm::ArrayRef<int64_t> low,
             llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> interior);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_XLA_MOVENODES_H
