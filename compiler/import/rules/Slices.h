// Parts of a tensor: a range of each dimension.

#ifndef WEIR_COMPILER_IMPORT_RULES_SLICES_H
#define WEIR_COMPILER_IMPORT_RULES_SLICES_H

#include "compiler/import/bounded/Sizes.h"

namespace weir {

/// Every `stride`th of the elements of a dimension, whose number is known.
struct StaticRange {
  int64_t start = 0, size = 0, stride = 1;

  /// The same elements from the lowest one on: a range that goes down is one
  /// that goes up, reversed.
  StaticRange ascending() const;
};
/// The range from `begin` to before `end` in a dimension of `size` elements.
/// Negative numbers count from the end. Without a number, the range begins or
/// ends at the farthest element.
StaticRange rangeIn(int64_t size, std::optional<int64_t> begin,
                    std::optional<int64_t> end, int64_t stride);

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
