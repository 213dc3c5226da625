// Initializes, updates and reduces vectors of accumulators.

#ifndef WEIR_PASSES_CPU_LOOPS_ACCUMULATORS_H
#define WEIR_PASSES_CPU_LOOPS_ACCUMULATORS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir::cpu {

// In all of these, `inner` is the scalar op that combines two elements.

/// Whether the result is NaN if any value is.
bool keepsNan(mlir::Operation *inner);

/// The initial value of an accumulator; null if there is none.
mlir::TypedAttr neutralElement(mlir::Operation *inner);

/// The initial values of `lanes` accumulators.
mlir::Value neutral(Emitter &e, mlir::Operation *inner, int64_t lanes);

/// Applies `inner` to `sum` and `x`.
mlir::Value combine(Emitter &e, mlir::Operation *inner, mlir::Value sum,
                    mlir::Value x);

/// The extreme of the two, but `sum` where one is a NaN: one instruction where
/// maxima return their second operand then.
mlir::Value extreme(Emitter &e, mlir::Operation *inner, mlir::Value sum,
                    mlir::Value x);
/// As above for the maximum.
mlir::Value greater(Emitter &e, mlir::Value sum, mlir::Value x);

// Marks find the NaNs that `extreme` passes over, apart from it: the greatest
// bits but the sign, of which a NaN has more than infinity.

mlir::Value noMark(Emitter &e, int64_t lanes);
mlir::Value marked(Emitter &e, mlir::Value mark, mlir::Value x);
/// `sum`, or NaN if a NaN was marked.
mlir::Value withMarked(Emitter &e, mlir::Value sum,
                       llvm::ArrayRef<mlir::Value> marks);

/// Reduces the lanes of a vector to one element.
mlir::Value lanesOf(Emitter &e, mlir::Operation *inner, mlir::Value sum);

} // namespace weir::cpu

#endif // WEIR_PASSES_CPU_LOOPS_ACCUMULATORS_H
