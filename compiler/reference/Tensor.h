// Tensors of the reference interpreter: floats are doubles, whatever their
// type.

#ifndef WEIR_COMPILER_REFERENCE_TENSOR_H
#define WEIR_COMPILER_REFERENCE_TENSOR_H

#include "dialects/graph/elementwise/Lanes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <memory>
#include <vector>

namespace weir::reference {

/// The elements of a tensor in row-major order, each in 8 bytes. A float of any
/// width is a double, which is not rounded to its type. An integer or a Boolean
/// is its bits, zero extended.
class Tensor {
public:
  /// A tensor of zeros. `type` has a static shape.
  explicit Tensor(mlir::RankedTensorType type);

  /// The tensor with these bytes: elements of `type` in row-major order, as
  /// weir.h describes them, or one element for all if `isSplat`.
  static Tensor fromBytes(mlir::RankedTensorType type,
                          llvm::ArrayRef<char> bytes, bool isSplat = false);
  /// The value of a constant; an error if its bytes are not available.
  static mlir::FailureOr<Tensor> fromAttribute(mlir::ElementsAttr value);

  /// The bytes of the elements, which are rounded to the type.
  std::vector<char> toBytes() const;
  /// A tensor of floats as f64, with the same values.
  Tensor asF64() const;

  mlir::RankedTensorType type() const { return tensorType; }
  mlir::Type elementType() const { return tensorType.getElementType(); }
  llvm::ArrayRef<int64_t> shape() const { return tensorType.getShape(); }
  int64_t size() const { return static_cast<int64_t>(elements.size()); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(elementType()); }

  Lane &operator[](int64_t index) { return elements[index]; }
  const Lane &operator[](int64_t index) const { return elements[index]; }
  Lane *data() { return elements.data(); }
  const Lane *data() const { return elements.data(); }

  /// Element `index` as a number, by its type: signed, unsigned or float.
  double number(int64_t index) const;
  /// Element `index` of an integer type as a signed number.
  int64_t integer(int64_t index) const;
  /// Sets element `index`; integers wrap to their width.
  void setInteger(int64_t index, int64_t value);

  /// The same elements as a tensor of another shape.
  Tensor reshaped(mlir::RankedTensorType type) const;

private:
  mlir::RankedTensorType tensorType;
  std::vector<Lane> elements;
};

using TensorRef = std::shared_ptr<const Tensor>;

/// Calls `body` for each index of `shape` in row-major order, with the offset
/// that `strides` give it.
void forEachOffset(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> strides, int64_t first,
                   llvm::function_ref<void(int64_t offset)> body);

/// Whether the first is ordered before the second: by value, and NaN last.
bool isLess(const Tensor &tensor, int64_t first, int64_t second);

} // namespace weir::reference

#endif // WEIR_COMPILER_REFERENCE_TENSOR_H
