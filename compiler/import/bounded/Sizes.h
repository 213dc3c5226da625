// Tensors with sizes that are known only at run time.
//
// Each has a place of fixed shape, its bound, and lies in the corner of it
// where all indices are small; scalars beside it say how large it is. So every
// op of the dialect and every stage after the import works on fixed shapes, and
// only handlers know that what lies beyond the sizes is of no meaning.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_SIZES_H
#define WEIR_COMPILER_IMPORT_BOUNDED_SIZES_H

#include "compiler/import/Elements.h"
#include "compiler/import/Operands.h"
#include "dialects/graph/Reduce.h"

namespace weir {

class Report;

/// Whether two scalars are the same number in each run, as n * 4 and n + 3 * n
/// are.
bool isSame(mlir::Value x, mlir::Value y);

/// The size of one dimension.
struct Size {
  int64_t bound = 0;
  /// A scalar i64 in [0, bound]; null where the size is the bound.
  mlir::Value exact;

  bool isKnown() const { return !exact; }
  bool operator==(const Size &other) const {
    return bound == other.bound && isSame(exact, other.exact);
  }
};
using Sizes = llvm::SmallVector<Size>;

Sizes sizesOf(const Traced &traced);
llvm::SmallVector<int64_t> boundsOf(llvm::ArrayRef<Size> sizes);
/// `place` with the sizes beside it; its shape must be their bounds.
Traced withSizes(mlir::Value place, llvm::ArrayRef<Size> sizes);

/// Writes the sizes at the op that makes the place, so that kernels need not
/// compute what lies beyond them; not at an op that has any already.
void writeSizes(Report &report, mlir::Value place, llvm::ArrayRef<Size> sizes);
/// The number by which the scalar is named in such attributes (graph.symbol).
int64_t symbolOf(Report &report, mlir::Value size);

/// A scalar i64.
Expr number(mlir::ImplicitLocOpBuilder &b, int64_t value);
Expr exactly(mlir::ImplicitLocOpBuilder &b, Size size);
/// The number of elements of the dimensions from `first` on, before `last`.
Expr product(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Size> sizes,
             size_t first, size_t last);
/// The sizes as a vector of integers.
mlir::Value listOf(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Size> sizes,
                   mlir::Type elementType);

/// What the computation of a scalar, or of every element of a tensor, says of
/// its values: as doubles, infinite where nothing does.
struct Interval {
  double low, high;
};
Interval intervalOf(mlir::Value value);
/// Whether a scalar truth value holds, where intervals tell.
std::optional<bool> truthOf(mlir::Value condition);

/// Element `index`, in row-major order, of a tensor of integers: a constant
/// where it is known, though others may not be. For example element 0 of
/// Concat(Shape(x)[1], 4) is the scalar that is the size of dimension 1 of x.
mlir::Value elementOf(mlir::ImplicitLocOpBuilder &b, mlir::Value list,
                      int64_t index);
/// A scalar or a list of sizes made of such elements, so that later ops
/// recognize sizes as equal; other values as they are.
mlir::Value asListOfScalars(mlir::ImplicitLocOpBuilder &b, mlir::Value value);
/// An integer as i64; the size itself where it was narrowed and fits.
mlir::Value asSize(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar);
/// The elements of an operand that lists integers, as scalars i64.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> listedScalars(TracedNode &node,
                                                              unsigned operand);

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
mlir::LogicalResult runOnPlaces(TracedNode &node,
                                llvm::ArrayRef<mlir::Value> places);
/// Says how large a result is that the node's own handler has given.
mlir::LogicalResult giveSizes(TracedNode &node, unsigned result,
                              llvm::ArrayRef<Size> sizes);

/// A check with the node's name.
void require(TracedNode &node, Expr condition, const llvm::Twine &message);

/// What a dimension has room for, and whether its size is for the run to say.
struct Room {
  int64_t bound = 0;
  bool isOpen = false;
};
/// Room for either tensor, open where their sizes are not the same known one;
/// nothing where one is no tensor, or they differ in rank or element type.
std::optional<llvm::SmallVector<Room>> joinSizes(const Traced &x,
                                                 const Traced &y);
/// The tensor with open sizes in such rooms; those that are not open stay. A
/// check in the node's name fails where it is larger.
Traced fitTo(mlir::ImplicitLocOpBuilder &b, TracedNode &node,
             const Traced &traced, llvm::ArrayRef<Room> rooms);

/// The same tensor in a place of other bounds: at the end of each dimension it
/// is cut, or extended by zeros. Sizes stay as they are: a caller that cuts
/// must know that they fit.
mlir::Value inPlaceOf(mlir::ImplicitLocOpBuilder &b, mlir::Value place,
                      llvm::ArrayRef<int64_t> bounds);
/// The place with `fill` beyond the sizes, along `dims`, or along all.
Expr masked(mlir::ImplicitLocOpBuilder &b, const Traced &traced, double fill);
Expr masked(mlir::ImplicitLocOpBuilder &b, const Traced &traced, Expr fill,
            llvm::ArrayRef<int64_t> dims);
/// Puts zeros beyond the sizes. As a choice, and no product, so that a gradient
/// that comes back through it is zero there, too, even where it was no number.
void zeroBeyond(mlir::ImplicitLocOpBuilder &b, Traced &traced);
/// A scalar that changes nothing that it is combined with.
Expr identityOf(mlir::ImplicitLocOpBuilder &b, graph::Reduction kind,
                mlir::Type elementType);
/// Whether index `i` of `bound` is below the size: a vector of truth values.
Expr within(mlir::ImplicitLocOpBuilder &b, Size size);
/// 0, 1, ... of i64.
Expr iota(mlir::ImplicitLocOpBuilder &b, int64_t count);

/// The elements in row-major order in another shape of as many elements, which
/// is not checked.
Traced reshapeBounded(mlir::ImplicitLocOpBuilder &b, const Traced &traced,
                      llvm::ArrayRef<Size> sizes);
/// The elements in row-major order from the place's start on, without gaps: as
/// callers get them.
mlir::Value compact(mlir::ImplicitLocOpBuilder &b, const Traced &traced);

/// A dimension of a tensor by indices along it, a vector i64; those that are
/// outside of the place are moved to its nearest end.
Traced takeAlong(mlir::ImplicitLocOpBuilder &b, const Traced &traced,
                 int64_t dim, Expr indices, Size size);
/// `size` elements of a dimension from `begin` on, a scalar i64.
Traced windowOf(mlir::ImplicitLocOpBuilder &b, const Traced &traced,
                int64_t dim, Expr begin, Size size);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_SIZES_H
