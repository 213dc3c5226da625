// Infers the dynamic sizes of the results of a handler for static shapes, from
// the graph ops that it builds.
//
// The handler works on padded buffers. Sizes propagate from operands to results
// op by op, if an op treats all indices of a dynamic dimension alike.
// Reductions along such a dimension are masked first.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_INFERENCE_H
#define WEIR_COMPILER_IMPORT_BOUNDED_INFERENCE_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// Whether a handler may reduce along a dynamic dimension: it must do so by ops
/// only, and not use a number from the shape of the buffer. `byMeans` also
/// accepts a sum that is divided by the number of elements, as `mean` builds
/// it; the divisor becomes the actual number.
enum class Mixing { never, byOps, byMeans };

/// Runs the node's own handler on the places of these operands and gives its
/// results with the sizes that follow. A node that does what sizes cannot be
/// followed through is not supported.
mlir::LogicalResult giveInferred(TracedNode &node,
                                 llvm::ArrayRef<Traced> operands,
                                 Mixing mixing = Mixing::never);
/// The same of the node's own operands.
mlir::LogicalResult giveInferred(TracedNode &node,
                                 Mixing mixing = Mixing::never);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_INFERENCE_H
