// What may end the epilogue of a contraction.

#ifndef WEIR_PASSES_FUSE_EPILOGUES_H
#define WEIR_PASSES_FUSE_EPILOGUES_H

#include "dialects/graph/Graph.h"

namespace weir {

/// The role of `op` in a group: none for an op that takes part in none, and for
/// null.
graph::FusionRole roleOf(mlir::Operation *op);

/// The contraction whose sums elementwise ops, each the only user of the one
/// before, make of what `op` then makes narrower elements of. Null where `op`
/// is no such end: then it is no better a place to write results than another.
mlir::Operation *contractionNarrowedBy(mlir::Operation *op);

} // namespace weir

#endif // WEIR_PASSES_FUSE_EPILOGUES_H
