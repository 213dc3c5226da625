// Parts of a tensor: a range of each dimension.

#ifndef WEIR_COMPILER_IMPORT_RULES_SLICES_H
#define WEIR_COMPILER_IMPORT_RULES_SLICES_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

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

#endif // WEIR_COMPILER_IMPORT_RULES_SLICES_H
