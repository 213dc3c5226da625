// Tensors joined along a dimension, and taken apart.

#ifndef WEIR_COMPILER_IMPORT_RULES_JOINS_H
#define WEIR_COMPILER_IMPORT_RULES_JOINS_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// The parts one behind the other along `axis`.
mlir::FailureOr<Traced> joined(TracedNode &node, llvm::ArrayRef<Traced> parts,
                               int64_t axis);
/// The parts one after another along a dimension.
mlir::LogicalResult giveJoined(TracedNode &node, llvm::ArrayRef<Traced> parts,
                               int64_t axis);
/// The parts in places of the same bounds, but for dimension `axis`, where it
/// is one; and the sizes that they share.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
sameBounds(TracedNode &node, llvm::ArrayRef<Traced> parts, int64_t axis,
           Sizes &common);

/// The parts, all of the same sizes, along a new dimension.
mlir::LogicalResult giveStacked(TracedNode &node, llvm::ArrayRef<Traced> parts,
                                int64_t axis);
/// `x` in parts along a dimension, one after the other; scalars i64 that are
/// checked to be the sizes of parts of all of it.
mlir::FailureOr<llvm::SmallVector<Traced>>
partsOf(TracedNode &node, const Traced &x, int64_t axis,
        llvm::ArrayRef<mlir::Value> sizes);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_RULES_JOINS_H
