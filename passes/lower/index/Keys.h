// Integer keys that are compared instead of elements.

#ifndef WEIR_PASSES_LOWER_INDEX_KEYS_H
#define WEIR_PASSES_LOWER_INDEX_KEYS_H

#include "mlir/IR/Builders.h"

namespace weir::lower {

/// Integers in the order of the elements of `x`, of the same width, at least 32
/// bits. Equal elements have equal keys, and NaN has the largest one.
mlir::Value keysOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                   mlir::Type element);

/// The cycles of a core to sort so many keys, roughly.
double sortCycles(int64_t size);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_INDEX_KEYS_H
