// The elements of constants: from bytes of a file to attributes, and back to
// numbers.

#ifndef WEIR_COMPILER_IMPORT_ELEMENTS_H
#define WEIR_COMPILER_IMPORT_ELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <string>

namespace weir {

constexpr int64_t rankLimit = 254;

/// The size of an element in a file in bytes; a Boolean has one.
inline unsigned elementBytes(mlir::Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// The number of bytes of a tensor; nothing where it is over the limit of
/// weir, each dimension counted also beside a zero.
std::optional<int64_t> byteSize(llvm::ArrayRef<int64_t> shape,
                                unsigned elementBytes);

/// The sizes as people write them, as in 4x?x3 where one is not known.
std::string dimsText(llvm::ArrayRef<int64_t> shape);

/// An attribute of raw little-endian bytes: a splat where they are, a resource
/// where they are many. The bytes of a resource are moved, not copied.
mlir::ElementsAttr rawElements(mlir::RankedTensorType type, std::string bytes,
                               llvm::StringRef name);

/// The elements of a constant, of a resource too.
std::optional<mlir::DenseElementsAttr> denseElements(mlir::Attribute value);

/// The elements of a tensor that is a constant; nothing of others.
std::optional<mlir::DenseElementsAttr> knownElements(mlir::Value tensor);
/// The integer that a constant of one element holds.
std::optional<int64_t> knownNumber(mlir::Value scalar);
/// The value of all elements of a Boolean tensor, if it is known.
std::optional<bool> knownBoolean(mlir::Value tensor);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_ELEMENTS_H
