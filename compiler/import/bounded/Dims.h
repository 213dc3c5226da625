// The dimensions of values inside of a handler, where some have sizes that only
// the run knows.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_DIMS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_DIMS_H

#include "compiler/import/bounded/Inference.h"
#include "compiler/import/bounded/Sizes.h"
#include "dialects/graph/Reduce.h"

#include <vector>

namespace weir {

/// A dimension of an operand, or of what became one with others.
struct Factor : Size {
  /// Made up by the handler: of the size that is wanted where it is used.
  bool isFree = false;

  bool isDynamic() const { return !isFree && !isKnown(); }
};
/// In row-major order; none for a dimension of size 1 that a reshape made.
using Dim = llvm::SmallVector<Factor, 1>;
using Dims = llvm::SmallVector<Dim>;

inline bool isDynamic(const Dim &dim) {
  return llvm::any_of(dim, [](const Factor &f) { return f.isDynamic(); });
}
inline bool isDynamic(llvm::ArrayRef<Dim> dims) {
  return llvm::any_of(dims, [](const Dim &dim) { return isDynamic(dim); });
}
Dim knownDim(int64_t size);
Dim freeDim(int64_t size);
Dims dimsOf(llvm::ArrayRef<Size> sizes);

/// The sizes after a row-major reshape; no value if it would split a dynamic
/// dimension.
std::optional<Dims> reshaped(llvm::ArrayRef<Dim> dims,
                             llvm::ArrayRef<int64_t> shape);

/// Follows sizes through the ops that a handler has built.
class Inference {
public:
  Inference(TracedNode &node, Mixing mixing, mlir::ImplicitLocOpBuilder &early)
      : node(node), mixing(mixing), early(early) {}

  /// What is known of the value; free dimensions where nothing is.
  Dims of(mlir::Value value) const;
  void set(mlir::Value value, Dims dims) { known[value] = std::move(dims); }
  /// Failure after a refusal at the node.
  mlir::LogicalResult visit(mlir::Operation *op);
  /// Masks operands, and checks that sizes agree.
  mlir::LogicalResult finish();
  /// Writes what is known of the op's results at the op.
  void write(mlir::Operation *op) const;
  void write(mlir::Operation *op, llvm::ArrayRef<Dim> sizes) const;

private:
  struct Mask {
    mlir::OpOperand *use;
    llvm::SmallVector<int64_t> dims;
    graph::Reduction kind;
    Dims sizes;
    /// How far beyond the sizes the op reads, of each of `dims`; empty where
    /// the mask is to be an op that works element by element, which others fuse
    /// with.
    llvm::SmallVector<int64_t> reach;
  };
  void build(const Mask &mask);

  /// The op cannot be followed.
  mlir::LogicalResult refuse(mlir::Operation *op);
  /// `y` joined to `x`: both are of one size, which is checked.
  mlir::LogicalResult join(mlir::Operation *op, Dim &x, const Dim &y);
  mlir::LogicalResult join(mlir::Operation *op, Dims &x, llvm::ArrayRef<Dim> y);
  /// What lies beyond the sizes along `dims` is to change nothing.
  mlir::LogicalResult mask(mlir::Operation *op, unsigned operand,
                           llvm::ArrayRef<int64_t> dims, graph::Reduction kind,
                           llvm::ArrayRef<int64_t> reach = {});
  /// A sum along dynamic dimensions must be divided by the number of elements
  /// before any other use. Divides it by the actual number.
  mlir::LogicalResult visitTotal(mlir::Operation *op);
  /// Where derivatives are taken: what has no dimension of its own where the
  /// result has an open one is repeated up to its size only, so that its
  /// gradient adds up nothing from beyond.
  void maskRepeated(mlir::Operation *op, llvm::ArrayRef<Dim> result);
  /// The same of an op that combines such an operand with another: gradients of
  /// its result are zeros beyond the sizes.
  void maskResult(mlir::Operation *op);
  /// If an op divides a sum along dynamic dimensions by the number of elements
  /// of the buffer, the sum is a mean. It is divided by the actual number
  /// instead.
  void countMean(mlir::Operation *op);
  /// All results are elementwise in the operands.
  mlir::LogicalResult visitElementwise(mlir::Operation *op);
  mlir::LogicalResult visitReduction(mlir::Operation *op);
  mlir::LogicalResult visitProduct(mlir::Operation *op);
  mlir::LogicalResult visitWindows(mlir::Operation *op);
  /// Follows sizes through an op that moves elements, also by indices. Returns
  /// no value for other ops.
  std::optional<mlir::LogicalResult> visitMove(mlir::Operation *op);
  /// The same for an op with indices, or with an order of elements. `dims` are
  /// the dimensions of operand 0.
  std::optional<mlir::LogicalResult> visitIndex(mlir::Operation *op, Dims dims);
  mlir::LogicalResult visitLoop(mlir::Operation *op);
  mlir::LogicalResult visitBranches(mlir::Operation *op);
  mlir::LogicalResult visitBlock(mlir::Block &block);

  TracedNode &node;
  Mixing mixing;
  /// Before all ops of the handler: for sizes, which are computed of others.
  mlir::ImplicitLocOpBuilder &early;
  llvm::DenseMap<mlir::Value, Dims> known;
  std::vector<Mask> masks;
  /// Results that are masked, whoever uses them.
  std::vector<std::pair<mlir::Value, Sizes>> cleared;
  std::vector<std::pair<Size, Size>> equals;
  /// Sums along dynamic dimensions that a mean divides, with all dimensions of
  /// the operand.
  llvm::DenseMap<mlir::Value, Dims> totals;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_DIMS_H
