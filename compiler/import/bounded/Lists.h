// The elements of operands that list integers, as scalars.

#ifndef WEIR_COMPILER_IMPORT_BOUNDED_LISTS_H
#define WEIR_COMPILER_IMPORT_BOUNDED_LISTS_H

#include "compiler/import/TracedNode.h"

namespace weir {

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
/// The same of an operand that must list one.
mlir::FailureOr<mlir::Value> listedScalar(TracedNode &node, unsigned operand);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BOUNDED_LISTS_H
