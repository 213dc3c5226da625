// Row-major order where sizes are known only at run time.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_RESHAPE_H
#define WEIR_COMPILER_IMPORT_BOUNDED_RESHAPE_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// The elements in row-major order in another shape of as many elements, which
/// is not checked.
Traced reshapeBounded(mlir::ImplicitLocOpBuilder &b, const Traced &traced,
                      llvm::ArrayRef<Size> sizes);
/// The elements in row-major order from the place's start on, without gaps: as
/// callers get them.
mlir::Value compact(mlir::ImplicitLocOpBuilder &b, const Traced &traced);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_RESHAPE_H
