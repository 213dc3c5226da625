// Evaluates the scalar function of an elementwise op over whole arrays.

#ifndef WEIR_DIALECTS_GRAPH_ELEMENTWISE_EVALUATE_H
#define WEIR_DIALECTS_GRAPH_ELEMENTWISE_EVALUATE_H

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
/// writes its results to `to`: the bits that a run on the module's target
/// computes, functions by the same formulas. Fails, `to` being half written,
/// where the function has an op that is not known here or would be undefined.
/// So do functions of f64, which the run leaves to libm, or on a GPU to others,
/// unless `callsLibm` and there is no GPU.
mlir::LogicalResult evaluate(mlir::Operation *op,
                             llvm::ArrayRef<Elements> operands, int64_t count,
                             char *to, bool callsLibm = false);

} // namespace weir

#endif // WEIR_DIALECTS_GRAPH_ELEMENTWISE_EVALUATE_H
