// The bytes of a constant's elements.

#ifndef WEIR_DIALECTS_WEIR_ELEMENTBYTES_H
#define WEIR_DIALECTS_WEIR_ELEMENTBYTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace weir {

/// The elements of a constant in row-major order and in the byte order of the
/// host; a Boolean has a byte. They borrow the memory of the attribute, which
/// must outlive them, unless that packs Booleans.
class ElementBytes {
public:
  /// No value if the attribute has no bytes, or not those of its type.
  static std::optional<ElementBytes> of(mlir::ElementsAttr value);

  /// Whether `data` has one element, which represents all of them.
  bool isSplat() const { return splat; }
  llvm::ArrayRef<char> data() const {
    return unpacked.empty() ? borrowed : unpacked;
  }

private:
  bool splat = false;
  llvm::ArrayRef<char> borrowed;
  llvm::SmallVector<char, 0> unpacked;
};

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_ELEMENTBYTES_H
