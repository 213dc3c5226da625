// What may end the epilogue of a contraction.

#ifndef WEIR_PASSES_FUSE_EPILOGUES_H
#define WEIR_PASSES_FUSE_EPILOGUES_H

#include "mlir/IR/Operation.h"

namespace weir {

/// The contraction whose sums elementwise ops, each the only user of the one
/// before, make of what `op` then makes narrower elements of. Null where `op`
/// is no such end: then it is no better a place to write results than another.
mlir::Operation *contractionNarrowedBy(mlir::Operation *op);

} // namespace weir

#endif // WEIR_PASSES_FUSE_EPILOGUES_H
