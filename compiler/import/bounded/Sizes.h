// Tensors with sizes that are known only at run time.
//
// Each is in a padded buffer of static shape, the bounds, where it occupies the
// elements with small indices. Scalars beside it hold its sizes. So all ops of
// the dialect and all later stages have static shapes, and only handlers know
// about the padding.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_SIZES_H
#define WEIR_COMPILER_IMPORT_BOUNDED_SIZES_H

#include "compiler/import/Elements.h"
#include "compiler/import/Operands.h"

namespace weir {

class Report;

/// The size of one dimension.
struct Size {
  int64_t bound = 0;
  /// A scalar i64 in [0, bound]; null where the size is the bound.
  mlir::Value exact;

  bool isKnown() const { return !exact; }
  /// Whether both are the same in each run.
  bool operator==(const Size &other) const;
};
using Sizes = llvm::SmallVector<Size>;

Sizes sizesOf(const Traced &traced);
/// Whether the import knows all of them.
bool areKnown(llvm::ArrayRef<Size> sizes);
llvm::SmallVector<int64_t> boundsOf(llvm::ArrayRef<Size> sizes);
/// `place` with the sizes beside it; its shape must be their bounds.
Traced withSizes(mlir::Value buffer, llvm::ArrayRef<Size> sizes);

/// Writes the sizes at the op that makes the place, so that kernels need not
/// compute what lies beyond them; not at an op that has any already.
void writeSizes(Report &report, mlir::Value buffer, llvm::ArrayRef<Size> sizes);
/// The number by which the scalar is named in such attributes (graph.symbol).
int64_t symbolOf(Report &report, mlir::Value size);

/// The numbers that scalars are, where the import knows all of them.
std::optional<llvm::SmallVector<int64_t>>
knownNumbers(llvm::ArrayRef<mlir::Value> scalars);
/// A scalar i64.
Expr number(mlir::ImplicitLocOpBuilder &b, int64_t value);
Expr exactly(mlir::ImplicitLocOpBuilder &b, Size size);
/// The number of elements of the dimensions from `first` on, before `last`.
Expr product(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Size> sizes,
             size_t first, size_t last);
/// The sizes as a vector of integers.
mlir::Value listOf(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Size> sizes,
                   mlir::Type elementType);

/// A scalar i64 as a size of at most `bound`. A check fails at run time where
/// it is none. An error where it is known and negative or above.
mlir::FailureOr<Size> sizeFrom(TracedNode &node, mlir::Value scalar,
                               int64_t bound);
/// Scalars i64 as the sizes of one tensor, with bounds by what is known of
/// them; sizes that nothing bounds share Tracing::boundedElements equally.
/// `caps`, where given, are bounds that hold by the op's meaning.
mlir::FailureOr<Sizes> sizesFrom(TracedNode &node,
                                 llvm::ArrayRef<mlir::Value> scalars,
                                 llvm::ArrayRef<int64_t> caps = {});
/// The sizes of one tensor that an operand lists.
mlir::FailureOr<Sizes> sizesAt(TracedNode &node, unsigned operand);

/// A check with the node's name.
void require(TracedNode &node, Expr condition, const llvm::Twine &message);

/// What a dimension has room for, and whether its size is for the run to say.
struct Room {
  int64_t bound = 0;
  bool isDynamic = false;
};
/// Room for either tensor, open where their sizes are not the same known one;
/// nothing where one is no tensor, or they differ in rank or element type.
std::optional<llvm::SmallVector<Room>> joinSizes(const Traced &x,
                                                 const Traced &y);
/// Pads or slices the dynamic dimensions of a tensor to these bounds; static
/// ones stay. A check with the node's name fails if the tensor is larger.
Traced fitTo(mlir::ImplicitLocOpBuilder &b, TracedNode &node,
             const Traced &traced, llvm::ArrayRef<Room> rooms);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_SIZES_H
