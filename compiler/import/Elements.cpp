// The elements of constants, small ones as attributes and large ones as
// resources.

#include "compiler/import/Elements.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace mlir;

namespace weir {

/// No tensor of weir is larger: a message of 40 bytes may describe terabytes.
constexpr int64_t tensorByteLimit = int64_t(8) << 30;
/// Constants from this size on are resources, which are never copied or hashed.
constexpr size_t resourceBytes = 1024;
/// Integers stay attributes up to here, because folders read attributes only
/// and integers are mostly shapes and indices.
constexpr size_t integerResourceBytes = 4096 * 8;
/// The most that is copied out of a resource so that it can be looked at.
constexpr size_t lookBytes = size_t(64) << 20;

static bool isSplat(StringRef bytes, size_t width) {
  return bytes.size() > width && std::memcmp(bytes.data(), bytes.data() + width,
                                             bytes.size() - width) == 0;
}

std::string dimsText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape) {
    text += text.empty() ? "" : "x";
    text += ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  }
  return text;
}

/// A name of a resource that IR has without quotes: MLIR prints none, and reads
/// a letter and then letters, digits and underscores.
static std::string keyOf(StringRef name) {
  std::string key = "w_";
  if (!name.empty() && llvm::isAlpha(name.front()))
    key.clear();
  for (char c : name.take_front(64))
    key += llvm::isAlnum(c) ? c : '_';
  return key;
}

ElementsAttr rawElements(RankedTensorType type, std::string bytes,
                         StringRef name) {
  Type element = type.getElementType();
  unsigned width = elementBytes(element);
  if (element.isInteger(1)) {
    // A byte of a bool may hold anything; it is true where it is not 0.
    for (char &c : bytes)
      c = c != 0;
    if (isSplat(bytes, 1))
      bytes.resize(1);
    return DenseElementsAttr::get(
        type,
        ArrayRef(reinterpret_cast<const bool *>(bytes.data()), bytes.size()));
  }
  if (isSplat(bytes, width))
    bytes.resize(width);
  size_t limit =
      isa<IntegerType>(element) ? integerResourceBytes + 1 : resourceBytes;
  if (bytes.size() < limit)
    return DenseElementsAttr::getFromRawBuffer(
        type, ArrayRef(bytes.data(), bytes.size()));
  bytes.shrink_to_fit();
  auto owner = std::make_unique<std::string>(std::move(bytes));
  ArrayRef<char> data(owner->data(), owner->size());
  AsmResourceBlob blob(
      data, alignof(std::max_align_t),
      [owner = std::move(owner)](void *, size_t, size_t) {}, false);
  return DenseResourceElementsAttr::get(type, keyOf(name), std::move(blob));
}

std::optional<DenseElementsAttr> denseElements(Attribute value) {
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(value))
    return dense;
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(value);
  if (!resource)
    return std::nullopt;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob || blob->getData().size() > lookBytes)
    return std::nullopt;
  return DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                             blob->getData());
}

std::optional<DenseElementsAttr> knownElements(Value tensor) {
  Attribute value;
  if (!tensor || !matchPattern(tensor, m_Constant(&value)))
    return std::nullopt;
  return denseElements(value);
}

std::optional<int64_t> knownNumber(Value scalar) {
  auto dense = knownElements(scalar);
  if (!dense || dense->getNumElements() != 1 ||
      !dense->getElementType().isIntOrIndex())
    return std::nullopt;
  APInt number = *dense->value_begin<APInt>();
  return dense->getElementType().isUnsignedInteger()
             ? static_cast<int64_t>(number.getZExtValue())
             : number.getSExtValue();
}

std::optional<bool> knownBoolean(Value tensor) {
  auto dense = knownElements(tensor);
  if (!dense || !dense->getElementType().isInteger(1) || !dense->isSplat())
    return std::nullopt;
  return dense->getSplatValue<bool>();
}

std::optional<int64_t> byteSize(ArrayRef<int64_t> shape,
                                unsigned elementBytes) {
  int64_t bytes = elementBytes;
  bool empty = false;
  for (int64_t size : shape) {
    empty |= size == 0;
    if (size < 0 || (size && llvm::MulOverflow(bytes, size, bytes)) ||
        bytes > tensorByteLimit)
      return std::nullopt;
  }
  return empty ? 0 : bytes;
}

} // namespace weir
