// What a StridedSlice takes of a tensor, for those that put something there
// too.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_STRIDEDBOX_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_STRIDEDBOX_H

#include "compiler/import/rules/Slices.h"
#include "compiler/import/tensorflow/shape/Moves.h"

namespace weir::tensorflow {

/// Element `i` of a vector, as a scalar.
Expr elementOf(Expr vector, int64_t i);

/// One dimension of the tensor that a StridedSlice reads.
struct StridedRange : StaticRange {
  StridedRange(StaticRange range = {}) : StaticRange(range) {}

  /// The start, where only its value at run time is known.
  Expr computed;
  /// Whether the dimension disappears.
  bool shrinks = false;
};

/// What a StridedSlice takes: ranges of the dimensions, and the shape of what
/// is left with the new dimensions in it.
struct StridedBox {
  llvm::SmallVector<StridedRange> ranges;
  Integers shape;
};

/// Reads operands `first` .. `first` + 2 (begin, end, strides) and the masks
/// for a tensor of shape `input`. Where something is put in the box, of shape
/// `put`, that says the sizes of ranges that only the run knows, which then
/// checks them.
mlir::FailureOr<StridedBox>
stridedBoxOf(Node &node, llvm::ArrayRef<int64_t> input, unsigned first,
             std::optional<llvm::ArrayRef<int64_t>> put = std::nullopt);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_SHAPE_STRIDEDBOX_H
