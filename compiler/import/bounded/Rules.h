// What nodes mean in every framework, where sizes are known only at run time:
// each rule gives the node's results.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_RULES_H
#define WEIR_COMPILER_IMPORT_BOUNDED_RULES_H

#include "compiler/import/bounded/Sizes.h"
#include "dialects/graph/Index.h"

namespace weir {

/// Element by element on operands that broadcast: the node's own handler, on
/// the operands' places cut to the bounds that they share. Beyond the sizes
/// lies `fill`, where it is given. Operands that are left out stay so.
mlir::LogicalResult giveElementwise(TracedNode &node,
                                    std::optional<double> fill = std::nullopt);
/// Tensors that broadcast, in places of the bounds that they share, each with
/// its sizes of those that they have in common. Beyond the sizes lies `fill`,
/// where it is given.
mlir::FailureOr<Sizes> alignOperands(TracedNode &node,
                                     llvm::SmallVectorImpl<Traced> &operands,
                                     std::optional<double> fill = std::nullopt);

/// Operand 0 in the shape that the scalars i64 `wanted` say; the one that is
/// negative is what the others leave.
mlir::LogicalResult giveReshaped(TracedNode &node,
                                 llvm::ArrayRef<mlir::Value> wanted);
/// Operand 0 repeated along each dimension.
mlir::LogicalResult giveTiled(TracedNode &node,
                              llvm::ArrayRef<mlir::Value> multiples);
/// Operand 0 broadcast to the sizes, which are no fewer than it has.
mlir::LogicalResult giveBroadcast(TracedNode &node, llvm::ArrayRef<Size> sizes);

/// What lies around a tensor that is padded: a value, or the elements before
/// its edge mirrored without the edge or with it, the edge, or the other end.
enum class Edges { value, reflect, symmetric, nearest, wrap };
struct Margins {
  llvm::SmallVector<Expr> low, high;
  Edges edges = Edges::value;
  /// Whether negative ones cut; else a check refuses them.
  bool mayCut = false;
};
/// Operand 0 with margins, scalars i64.
mlir::LogicalResult givePadded(TracedNode &node, const Margins &margins,
                               Expr value);

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

/// Slices of operand 0 along a dimension; indices that count are checked to be
/// in it. The leading `batch` dimensions of both are the same.
mlir::LogicalResult giveGathered(TracedNode &node, Traced indices, int64_t axis,
                                 int64_t batch = 0);
/// Slices of operand 0 by vectors of indices, checked likewise. The leading
/// `batch` dimensions of both are the same.
mlir::LogicalResult giveGatheredNd(TracedNode &node, Traced indices,
                                   size_t batch = 0);
/// `x` with `updates` at the vectors in the last dimension of `indices`, which
/// are checked.
mlir::LogicalResult giveScattered(TracedNode &node, const Traced &x,
                                  Traced indices, Traced updates,
                                  graph::Combiner combiner);

/// Operand 0 in parts along a dimension, one after the other; scalars i64 that
/// are checked to be the sizes of parts of all of it.
mlir::FailureOr<llvm::SmallVector<Traced>>
partsOf(TracedNode &node, int64_t axis, llvm::ArrayRef<mlir::Value> sizes);

/// Numbers from `start` on, before `limit`: scalars of one type. An error of
/// the run where there are fewer than none, unless that `mayBeNone`.
mlir::LogicalResult giveCounted(TracedNode &node, Expr start, Expr limit,
                                Expr step, bool mayBeNone = false);

/// The mean along dimensions of operand 0, of the elements that there are;
/// which stay as 1 where `keep`.
mlir::LogicalResult giveMean(TracedNode &node, llvm::ArrayRef<int64_t> dims,
                             bool keep);
/// The sizes of what is left of operand 0.
Sizes leftOf(TracedNode &node, llvm::ArrayRef<int64_t> dims, bool keep);

/// Places of operands 0 and 1 for a product of matrices, either transposed or
/// not, with nothing beyond the sizes along what they have in common; and the
/// sizes of the product.
mlir::FailureOr<Sizes>
alignMatrices(TracedNode &node, bool transposeX, bool transposeY,
              llvm::SmallVectorImpl<mlir::Value> &places);

/// Part of operand 0, dimension by dimension from the first.
class Ranges {
public:
  explicit Ranges(TracedNode &node)
      : node(node), b(node.b), from(sizesOf(node.traced(0))) {}

  /// The next dimensions as they are.
  void whole(size_t dims);
  /// One element, counted from the end where negative; the dimension goes.
  void one(Expr index);
  /// What a range of Python takes: valid places are 0 .. n going up and
  /// -1 .. n-1 going down. A begin or an end that is left out is the farthest.
  mlir::LogicalResult range(Expr begin, Expr end, int64_t stride);
  /// A new dimension of size 1.
  void insert() { shape.push_back({1, {}}); }
  /// How many dimensions have been dealt with.
  size_t done() const { return ranges.size(); }
  /// Takes the dimensions left whole.
  mlir::LogicalResult give();

private:
  struct Range {
    Expr start;
    int64_t stride = 1;
    Size size;
    /// The dimension stays as it is.
    bool isWhole = false;
  };

  TracedNode &node;
  mlir::ImplicitLocOpBuilder &b;
  Sizes from;
  llvm::SmallVector<Range> ranges;
  Sizes shape;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_RULES_H
