// What the edges of a graph carry while it is traced, in every frontend.

#ifndef WEIR_COMPILER_IMPORT_TRACED_H
#define WEIR_COMPILER_IMPORT_TRACED_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <memory>
#include <string>
#include <vector>

namespace weir {

/// What an edge carries that is not a plain tensor, such as a variable's
/// handle or a tensor list: known to the handlers of its ops only.
struct Object {
  virtual ~Object() = default;

  /// Appends the tensors that this is made of, so that control flow can carry
  /// it; false where it is not made of tensors, or not of known ones yet.
  virtual bool flatten(llvm::SmallVectorImpl<mlir::Value> &values) const {
    return false;
  }
  /// The same made of other tensors, which it takes off the front.
  virtual std::shared_ptr<Object>
  rebuild(llvm::ArrayRef<mlir::Value> &values) const {
    return nullptr;
  }
  /// The same made of tensors of the types that `like` has, where it did not
  /// know them itself.
  virtual std::shared_ptr<Object> settle(mlir::ImplicitLocOpBuilder &b,
                                         const Object &like) const {
    return nullptr;
  }
};

/// A tensor of strings that is known at compile time; a few ops take them.
struct Strings : Object {
  llvm::SmallVector<int64_t> shape;
  std::vector<std::string> values;
};

/// What an edge carries: a tensor; a complex tensor as its real and imaginary
/// part; or an object.
struct Traced {
  mlir::Value value;
  mlir::Value imaginary;
  std::shared_ptr<Object> object;
  /// Of a tensor with sizes that are known only at run time: for each dimension
  /// a scalar i64, from 0 to the dimension's size in `value`, which is then its
  /// bound; null where the size is the bound. What lies beyond the sizes is of
  /// any value. Empty where all sizes are known.
  llvm::SmallVector<mlir::Value, 0> extents = {};

  bool isBounded() const { return !extents.empty(); }
};

/// Appends the tensors that a region must yield for the value; false where it
/// holds what no tensor can be, such as a string.
bool flatten(const Traced &traced, llvm::SmallVectorImpl<mlir::Value> &values);
/// A value like `like` made of the first of `values`, which it takes off.
Traced rebuild(const Traced &like, llvm::ArrayRef<mlir::Value> &values);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_TRACED_H
