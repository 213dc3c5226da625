// Evaluates the scalar function of an elementwise op over whole arrays.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE_EVALUATE_H
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE_EVALUATE_H

#include "mlir/IR/Operation.h"

namespace weir {

/// An operand: its elements, or one element for all.
struct Elements {
  mlir::Type elementType;
  llvm::ArrayRef<char> data;
  bool splat;

  /// The distance of elements in bytes.
  int64_t stride() const {
    return splat ? 0 : (elementType.getIntOrFloatBitWidth() + 7) / 8;
  }
};

/// Applies an op with ScalarOpInterface to `count` elements of each operand and
/// writes the results to `to`. They have the same bits as in a run on the
/// module's target, because functions use the same formulas. Fails at an op
/// that is unknown or undefined, with part of `to` written. Fails too at
/// functions of f64, which a run leaves to libm, unless `callsLibm` is set and
/// the target has no GPU.
mlir::LogicalResult evaluate(mlir::Operation *op,
                             llvm::ArrayRef<Elements> operands, int64_t count,
                             char *to, bool callsLibm = false);

} // namespace weir

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE_EVALUATE_H
