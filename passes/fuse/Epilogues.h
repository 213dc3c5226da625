// Finds the contraction in whose epilogue an op can be the last one.

#ifndef WEIR_PASSES_FUSE_EPILOGUES_H
#define WEIR_PASSES_FUSE_EPILOGUES_H

#include "dialects/graph/Graph.h"

namespace weir::fuse {

/// The role of `op` in operator fusion; `none` for null, and for ops that are
/// never fused.
graph::FusionRole roleOf(mlir::Operation *op);

/// If `op` converts to narrower elements, returns the contraction from which it
/// is computed by elementwise ops with one user each. The epilogue best ends at
/// `op`, as its result takes the least memory. Null for any other op.
mlir::Operation *contractionNarrowedBy(mlir::Operation *op);

} // namespace weir::fuse

#endif // WEIR_PASSES_FUSE_EPILOGUES_H
