// Functions of the math dialect as arithmetic: what a run computes, and what
// the folder computes of constants.

#ifndef WEIR_DIALECTS_MATH_EXPAND_H
#define WEIR_DIALECTS_MATH_EXPAND_H

#include "dialects/math/Functions.h"

namespace weir {

/// What is known where an exponential is scaled once, not twice. None of them
/// changes a bit of what is made of the result.
enum class ExpRange { any, nonpositive, besideOne };

/// Replaces `op`, of scalars or vectors, by arithmetic; false, and nothing
/// changes, where it is no function of f32, f16 or bf16.
bool expandFunction(mlir::Operation *op, const FunctionTarget &target,
                    ExpRange range = ExpRange::any);

} // namespace weir

#endif // WEIR_DIALECTS_MATH_EXPAND_H
