// The forms of constant weights that `weir-fit-weights` writes.

#ifndef WEIR_PASSES_LOWER_LAYOUTS_WEIGHTFORMS_H
#define WEIR_PASSES_LOWER_LAYOUTS_WEIGHTFORMS_H

#include "llvm/ADT/StringRef.h"

namespace weir {

/// On a graph.convolution with a constant filter: each run transforms the
/// filter, or the convolution is a direct sum.
constexpr llvm::StringLiteral transformAtRunName = "weir.transform_at_run";
constexpr llvm::StringLiteral directName = "weir.direct";

/// On an argument of a kernel, a TypeAttr: constants of f32 for it are stored
/// in this type of 16 bits, which kernels widen in registers.
constexpr llvm::StringLiteral storedAsName = "weir.stored_as";

/// On an argument of a kernel: no kernel reads the constants for it in the
/// layout of inner-product pairing, so that one layout serves all.
constexpr llvm::StringLiteral unpairedName = "weir.unpaired";

/// On the module: the budget also limits second layouts of weights that kernels
/// share, and layouts for tile registers.
constexpr llvm::StringLiteral limitsLayoutsName = "weir.limits_layouts";

/// On the module: bytes of the budget that are left for layouts for tile
/// registers.
constexpr llvm::StringLiteral weightsLeftName = "weir.weights_left";

} // namespace weir

#endif // WEIR_PASSES_LOWER_LAYOUTS_WEIGHTFORMS_H
