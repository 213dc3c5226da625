// Where the elements of lists of sizes come from.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_RANGES_MOVED_H
#define WEIR_COMPILER_IMPORT_BOUNDED_RANGES_MOVED_H

#include "mlir/IR/Value.h"
#include <optional>

namespace weir {

/// One element of a tensor, by its index in row-major order.
struct Element {
  mlir::Value tensor;
  int64_t index;
};

/// The element of an operand that an op moves to this index of its result; none
/// where the op moves none. For example element 3 of a concat along axis 1 of
/// two 2x1 tensors is element 1 of the second.
std::optional<Element> movedFrom(mlir::Operation *op, int64_t index);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_RANGES_MOVED_H
