// Short ways to build graph ops, for every frontend. Constant operands fold at
// once, within the folders' limit.

#ifndef WEIR_COMPILER_IMPORT_BUILD_H
#define WEIR_COMPILER_IMPORT_BUILD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir {

/// Creates the op, or gives what it folds to.
template <typename Op, typename... Args>
mlir::Value make(mlir::ImplicitLocOpBuilder &b, Args &&...args) {
  return b.createOrFold<Op>(std::forward<Args>(args)...);
}

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// A constant whose elements are all `value`, of any element type.
mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
                  double value);
/// A constant of i64 or i32 numbers, of rank 1.
mlir::Value numbers(mlir::ImplicitLocOpBuilder &b, mlir::Type elementType,
                    llvm::ArrayRef<int64_t> values);
/// The attribute of a splat, for ops that take one.
mlir::DenseElementsAttr splatAttr(mlir::RankedTensorType type, double value);

/// The shape that NumPy's rules broadcast both to; failure where they do not.
mlir::FailureOr<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// `value` broadcast by NumPy's rules; itself where it has that shape.
mlir::Value broadcastTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        llvm::ArrayRef<int64_t> shape);
/// `value` converted to an element type, as graph.cast does.
mlir::Value castTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                   mlir::Type elementType);
mlir::Value reshapeTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      llvm::ArrayRef<int64_t> shape);
mlir::Value transposeBy(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        llvm::ArrayRef<int64_t> permutation);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_H
