// What vectors of accumulators begin with, how they take a value, and how they
// end as one.

#ifndef WEIR_PASSES_CPU_LOOPS_ACCUMULATORS_H
#define WEIR_PASSES_CPU_LOOPS_ACCUMULATORS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

// In all of these, `inner` is the op on elements that combines.

/// Whether a NaN among the values is the result.
bool keepsNan(mlir::Operation *inner);

/// What an accumulator begins with; null where there is no such value.
mlir::TypedAttr neutralElement(mlir::Operation *inner);

/// What `lanes` accumulators begin with.
mlir::Value neutral(Emitter &e, mlir::Operation *inner, int64_t lanes);

/// `sum` and `x` as `inner` does it.
mlir::Value combine(Emitter &e, mlir::Operation *inner, mlir::Value sum,
                    mlir::Value x);

/// The extreme of the two, but `sum` where one is a NaN: one instruction where
/// maxima return their second operand then.
mlir::Value extreme(Emitter &e, mlir::Operation *inner, mlir::Value sum,
                    mlir::Value x);
/// The same of the greatest.
mlir::Value greater(Emitter &e, mlir::Value sum, mlir::Value x);

// Marks find the NaNs that `extreme` passes over, apart from it: the greatest
// bits but the sign, of which a NaN has more than infinity.

mlir::Value noMark(Emitter &e, int64_t lanes);
mlir::Value marked(Emitter &e, mlir::Value mark, mlir::Value x);
/// `sum`, or a NaN where one was marked.
mlir::Value withMarked(Emitter &e, mlir::Value sum,
                       llvm::ArrayRef<mlir::Value> marks);

/// All lanes of a vector as one element.
mlir::Value lanesOf(Emitter &e, mlir::Operation *inner, mlir::Value sum);

} // namespace weir

#endif // WEIR_PASSES_CPU_LOOPS_ACCUMULATORS_H
