// Sums of what the lanes of vectors hold.

#ifndef WEIR_PASSES_CPU_KERNELS_LANESUMS_H
#define WEIR_PASSES_CPU_KERNELS_LANESUMS_H

#include "passes/cpu/kernels/Emitter.h"

namespace weir {

/// Of as many vectors as they have lanes the one whose lane i is the sum of all
/// lanes of vector i; those that are missing at the end are zeros.
mlir::Value sumEach(Emitter &e, Emitter::Values vectors);

} // namespace weir

#endif // WEIR_PASSES_CPU_KERNELS_LANESUMS_H
