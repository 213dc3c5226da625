// What tensor lists and tensor arrays are while they are traced: as many
// tensors as are known at compile time, kept as one with a dimension more.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LIST_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LIST_H

#include "compiler/import/tensorflow/Tracer.h"

namespace weir::tensorflow {

struct List : Object {
  mlir::Type element;
  int64_t count = 0;
  /// Of an element, as far as it is known.
  std::optional<llvm::SmallVector<int64_t>> shape;
  /// `count` elements; null until an element's shape is known.
  mlir::Value tensor;
  /// Grows where an element behind its end is written.
  bool grows = false;

  bool flatten(llvm::SmallVectorImpl<mlir::Value> &values) const override;
  std::shared_ptr<Object>
  rebuild(llvm::ArrayRef<mlir::Value> &values) const override;
  std::shared_ptr<Object> settle(mlir::ImplicitLocOpBuilder &b,
                                 const Object &like) const override;

  /// Makes its tensor of zeros, where it has none and `like` or its own shape
  /// says of which size; false where neither does.
  bool fill(mlir::ImplicitLocOpBuilder &b,
            const std::optional<llvm::SmallVector<int64_t>> &like);
  /// The element at a scalar index; there must be one.
  mlir::Value get(mlir::ImplicitLocOpBuilder &b, mlir::Value index) const;
  /// Replaces the element at a scalar index by one of its type.
  void set(mlir::ImplicitLocOpBuilder &b, mlir::Value index,
           mlir::Value element);
};

/// The tensor's shape without its first dimension.
llvm::SmallVector<int64_t> elementShape(mlir::Value tensor);
/// The tensor with a first dimension of size 1.
mlir::Value withFront(mlir::ImplicitLocOpBuilder &b, mlir::Value item);

/// Lists made of a tensor's rows.
void addListRowHandlers(Handlers &);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_CONTROL_LIST_H
