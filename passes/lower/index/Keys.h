// Keys that are compared in place of elements.

#ifndef WEIR_PASSES_LOWER_INDEX_KEYS_H
#define WEIR_PASSES_LOWER_INDEX_KEYS_H

#include "mlir/IR/Builders.h"

namespace weir {

/// Integers of the order of the elements of `x`, as wide as they are or of 32
/// bits: equal ones for equal elements, and the greatest for what is no number.
mlir::Value keysOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                   mlir::Type element);

} // namespace weir

#endif // WEIR_PASSES_LOWER_INDEX_KEYS_H
