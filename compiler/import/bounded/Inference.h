// How large the results of a handler are that knows nothing of sizes known only
// at run time, by the graph ops that it builds.
//
// The handler works on the places of its operands. Op by op, sizes go from
// operands to results, which they can where an op treats each index of an open
// dimension alike. What an op combines along such a dimension is masked first.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_INFERENCE_H
#define WEIR_COMPILER_IMPORT_BOUNDED_INFERENCE_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// Whether a handler may combine what lies along a dimension of open size:
/// right where it does so by ops alone, and by no number that it takes from the
/// place's shape. `byMeans` also accepts a sum along such dimensions that is
/// divided by the number of elements, as `mean` builds it: the divisor becomes
/// the number of elements that count.
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
