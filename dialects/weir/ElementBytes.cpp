// Reads the bytes of dense attributes and of resources.

#include "dialects/weir/ElementBytes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir {

/// Booleans that are packed in bits, the first in the lowest bit.
static SmallVector<char, 0> unpack(ArrayRef<char> bits, uint64_t count) {
  SmallVector<char, 0> bytes(count);
  for (uint64_t i = 0; i < count; ++i)
    bytes[i] = bits[i / 8] >> (i % 8) & 1;
  return bytes;
}

/// The number of elements; no value if their bytes overflow 64 bits.
static std::optional<uint64_t> countOf(ShapedType type) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t count = 1, bytes;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(count, size, count))
      return std::nullopt;
  int64_t width = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (llvm::MulOverflow(count, width, bytes))
    return std::nullopt;
  return count;
}

std::optional<ElementBytes> ElementBytes::of(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  std::optional<uint64_t> count = countOf(type);
  if (!count)
    return std::nullopt;
  uint64_t width = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  bool isBoolean = type.getElementType().isInteger(1);
  ElementBytes bytes;
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value)) {
    ArrayRef<char> raw = dense.getRawData();
    bytes.splat = dense.isSplat() && !raw.empty();
    if (isBoolean && bytes.splat)
      bytes.unpacked.push_back(raw[0] != 0);
    else if (isBoolean)
      bytes.unpacked = unpack(raw, *count);
    else
      bytes.borrowed = raw;
    return bytes;
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return std::nullopt;
  ArrayRef<char> raw = blob->getData();
  if (raw.size() == *count * width)
    bytes.borrowed = raw;
  else if (isBoolean && raw.size() == llvm::divideCeil(*count, 8))
    bytes.unpacked = unpack(raw, *count);
  else
    return std::nullopt;
  return bytes;
}

} // namespace weir
