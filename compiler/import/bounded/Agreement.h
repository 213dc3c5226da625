// Operands whose sizes must agree, and results of a node's own handler, where
// sizes are known only at run time.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_AGREEMENT_H
#define WEIR_COMPILER_IMPORT_BOUNDED_AGREEMENT_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// Two sizes that must be equal, which a check sees to where only the run
/// knows: as the one that says more. `what` is for the messages, "operands",
/// and `hint` ends that of the check.
mlir::FailureOr<Size> agreedSize(TracedNode &node, Size x, Size y,
                                 const llvm::Twine &what,
                                 const llvm::Twine &hint = "");
/// The sizes that operands broadcast to, dimension by dimension from the last.
/// Where they fit only if the run says so, it is checked. A size of 1 that only
/// the run knows is repeated where no other would fit; else all must be equal,
/// so that results keep the sizes of operands.
mlir::FailureOr<Sizes> commonSizes(TracedNode &node, llvm::ArrayRef<Sizes> all);
/// The bounds of a place that broadcasts to one of `common`.
llvm::SmallVector<int64_t> commonBounds(llvm::ArrayRef<Size> sizes,
                                        llvm::ArrayRef<Size> common);

/// Runs the node's own handler with these places for its first operands.
mlir::LogicalResult runOnPaddedBuffers(TracedNode &node,
                                       llvm::ArrayRef<mlir::Value> buffers);
/// The bound of `size` as a constant of the type of operand `i`, for the node's
/// own handler.
mlir::Value splatBound(TracedNode &node, unsigned i, const Size &size);
/// Says how large a result is that the node's own handler has given.
mlir::LogicalResult giveSizes(TracedNode &node, unsigned result,
                              llvm::ArrayRef<Size> sizes);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_AGREEMENT_H
