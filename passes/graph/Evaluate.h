// Evaluates the scalar function of an elementwise op over whole arrays.

#ifndef WEIR_PASSES_GRAPH_EVALUATE_H
#define WEIR_PASSES_GRAPH_EVALUATE_H

#include "mlir/IR/Operation.h"

namespace weir {

/// An operand: its elements, or one that stands for all.
struct Elements {
  mlir::Type elementType;
  llvm::ArrayRef<char> data;
  bool splat;

  /// From one element to the next, in bytes.
  int64_t stride() const {
    return splat ? 0 : (elementType.getIntOrFloatBitWidth() + 7) / 8;
  }
};

/// Applies an op with ScalarOpInterface to `count` elements of each operand and
/// writes its results to `to`. Fails, `to` being half written, where the
/// function has an op that is not known here or would be undefined.
mlir::LogicalResult evaluate(mlir::Operation *op,
                             llvm::ArrayRef<Elements> operands, int64_t count,
                             char *to);

} // namespace weir

#endif // WEIR_PASSES_GRAPH_EVALUATE_H
