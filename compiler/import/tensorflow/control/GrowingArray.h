// Tensor arrays that grow while a loop runs: elements of any number of rows,
// kept one after the other.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_GROWINGARRAY_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_GROWINGARRAY_H

#include "compiler/import/tensorflow/bounded/Bounds.h"
#include "compiler/import/tensorflow/control/List.h"

namespace weir::tensorflow {

struct GrowingArray : Object {
  /// The rows of all elements; those from `total` on mean nothing.
  mlir::Value rows;
  /// How many rows there are: a scalar i64.
  mlir::Value total;
  /// How many rows each element has; those from `count` on mean nothing.
  mlir::Value lengths;
  /// How many elements there are: a scalar i64.
  mlir::Value count;

  bool flatten(llvm::SmallVectorImpl<mlir::Value> &values) const override;
  std::shared_ptr<Object>
  rebuild(llvm::ArrayRef<mlir::Value> &values) const override;

  /// An array without elements and with as much room.
  std::shared_ptr<GrowingArray> emptied(mlir::ImplicitLocOpBuilder &b) const;
};

/// The array at operand `i`; null if it is not a growing array.
const GrowingArray *growingArrayOf(Node &node, unsigned i);
/// Appends operand 2 to the array at operand 3, which is a growing array or
/// empty.
mlir::LogicalResult writeGrowing(Node &node);
/// All rows, and how many each element has.
mlir::LogicalResult concatGrowing(Node &node, const GrowingArray &array);
/// The elements at operand 1, which all have as many rows.
mlir::LogicalResult gatherGrowing(Node &node, const GrowingArray &array);
/// Operand 1 as an array whose elements have as many rows as operand 2 says.
mlir::LogicalResult splitGrowing(Node &node);
/// The element at operand 1.
mlir::LogicalResult readGrowing(Node &node, const GrowingArray &array);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_GROWINGARRAY_H
