// Tensors of the reference as arrays of weir-run, which has the formats of
// files and of values on the command line.

#ifndef WEIR_TOOLS_REFERENCE_ARRAY_H
#define WEIR_TOOLS_REFERENCE_ARRAY_H

#include "compiler/Diagnostics.h"
#include "compiler/reference/Tensor.h"

extern "C" {
#include "tools/run/array.h"
}

namespace weir::reference {

/// An array that owns its data.
class Array {
public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { array_free(&value); }

  struct array *get() { return &value; }
  struct array *operator->() { return &value; }

  /// Sets the type, without memory.
  void describe(mlir::RankedTensorType type);
  /// Allocates zeros for the type.
  Status allocate();
  /// `2x3xf32`.
  std::string typeText() const;
  /// An element, in digits from which the same value is read again.
  std::string elementText(int64_t index) const;

private:
  struct array value = {};
};

/// The array as a tensor with this type of elements; none for an array of other
/// elements. NumPy has no bf16, so arrays of ui16 and f32 also stand for it.
std::optional<Tensor> tensorOf(Array &array, mlir::Type element);

/// Copies a tensor, whose floats are rounded to their type.
Status copyTo(Array &array, const Tensor &tensor);

} // namespace weir::reference

#endif // WEIR_TOOLS_REFERENCE_ARRAY_H
